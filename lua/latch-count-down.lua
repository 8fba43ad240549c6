--[[
  Counts a latch down by one; at zero it is gone, which is open, and that is announced.

  KEYS[1]  the latch: its count
  KEYS[2]  what this request came to, kept for a while
  ARGV[1]  channel
  ARGV[2]  PUBLISH, or SPUBLISH in a cluster
  ARGV[3]  how long KEYS[2] is kept, in milliseconds

  Returns {count, told}: what is left, never less than 0; told -1: it is open now, but this node could not announce it.

  Safe to repeat for as long as its outcome is kept (rule X1).
]]
--@include whole-number
--@include announce
local function counted(left)
  return { left, left == 0 and announce(ARGV[2], ARGV[1], '0') or 0 }
end

local done = redis.call('GET', KEYS[2])
if done then
  return counted(tonumber(done))
end
local count = whole_number(KEYS[1])
if not count then
  return { 0, 0 }
end
local left = math.max(count - 1, 0)
redis.call('SET', KEYS[2], left, 'PX', ARGV[3])
local written
if left > 0 then
  written = redis.pcall('DECR', KEYS[1])
else
  written = redis.pcall('DEL', KEYS[1])
end
if type(written) ~= 'number' then
  redis.call('DEL', KEYS[2])
  return written
end
return counted(left)
