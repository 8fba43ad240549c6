--[[
  Sets the number of permits of a semaphore of either kind where none was set, and announces it.

  KEYS[1]   the semaphore: the number of permits available
  KEYS[2]   what this request came to, kept for a while
  KEYS[3…]  what stands for nothing where the semaphore was not set
  ARGV[1]   permits
  ARGV[2]   how long the semaphore exists, in milliseconds; 0: for ever
  ARGV[3]   channel
  ARGV[4]   PUBLISH, or SPUBLISH in a cluster
  ARGV[5]   how long KEYS[2] is kept, in milliseconds

  Returns
    {1, available, told}  done; told to so many connections, -1: this node could not
    {0, available, 0}     it was set before

  Safe to repeat for as long as its outcome is kept (rule X1).
]]
--@include whole-number
--@include announce
local available = whole_number(KEYS[1])
if redis.call('EXISTS', KEYS[2]) == 1 then
  return { 1, available or 0, 0 }
end
if available then
  return { 0, available, 0 }
end
for index = 3, #KEYS do
  redis.call('DEL', KEYS[index])
end
redis.call('SET', KEYS[2], '1', 'PX', ARGV[5])
local set
if ARGV[2] == '0' then
  set = redis.pcall('SET', KEYS[1], ARGV[1])
else
  set = redis.pcall('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
if set.err then
  redis.call('DEL', KEYS[2])
  return set
end
return { 1, tonumber(ARGV[1]), announce(ARGV[4], ARGV[3], ARGV[1]) }
