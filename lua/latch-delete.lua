--[[
  Removes a latch, which opens it, and announces that.

  KEYS[1]  the latch: its count
  KEYS[2]  what this request came to, kept for a while
  ARGV[1]  channel
  ARGV[2]  PUBLISH, or SPUBLISH in a cluster
  ARGV[3]  how long KEYS[2] is kept, in milliseconds

  Returns {1, told}: removed; {0, 0}: there was none. told -1: this node could not announce it.

  Safe to repeat for as long as its outcome is kept (rule X1).
]]
--@include whole-number
--@include announce
if redis.call('EXISTS', KEYS[2]) == 1 then
  return { 1, announce(ARGV[2], ARGV[1], '0') }
end
if not whole_number(KEYS[1]) then
  return { 0, 0 }
end
-- First what frees memory: after that a full server refuses nothing.
redis.call('DEL', KEYS[1])
redis.pcall('SET', KEYS[2], '1', 'PX', ARGV[3])
return { 1, announce(ARGV[2], ARGV[1], '0') }
