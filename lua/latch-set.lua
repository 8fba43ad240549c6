--[[
  Sets a latch's count where none is set, which closes it, and announces that.

  KEYS[1]  the latch: its count
  KEYS[2]  what this request came to, kept for a while
  ARGV[1]  count
  ARGV[2]  channel
  ARGV[3]  PUBLISH, or SPUBLISH in a cluster
  ARGV[4]  how long KEYS[2] is kept, in milliseconds

  Returns {1, told}: set; {0, 0}: one was set before. told -1: this node could not announce it.

  Safe to repeat for as long as its outcome is kept (rule X1).
]]
--@include whole-number
--@include announce
if redis.call('EXISTS', KEYS[2]) == 1 then
  return { 1, 0 }
end
if whole_number(KEYS[1]) then
  return { 0, 0 }
end
redis.call('SET', KEYS[2], '1', 'PX', ARGV[4])
local set = redis.pcall('SET', KEYS[1], ARGV[1])
if set.err then
  redis.call('DEL', KEYS[2])
  return set
end
return { 1, announce(ARGV[3], ARGV[2], '1') }
