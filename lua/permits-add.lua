--[[
  Changes the number of permits of a semaphore of either kind, and announces it where it has grown.

  KEYS[1]   the semaphore: the number of permits available
  KEYS[2]   what this request came to, kept for a while
  KEYS[3…]  what stands for nothing where the semaphore was not set
  ARGV[1]   by how many; may be negative, and so may what is available then
  ARGV[2]   1: only where the semaphore is set
  ARGV[3]   channel
  ARGV[4]   PUBLISH, or SPUBLISH in a cluster
  ARGV[5]   how long KEYS[2] is kept, in milliseconds

  Returns
    {1, available, told}  done; told to so many connections, -1: this node could not
    {0, 0, 0}             the semaphore is not set

  Safe to repeat for as long as its outcome is kept (rule X1).
]]
--@include whole-number
--@include announce
local available = whole_number(KEYS[1])
if redis.call('EXISTS', KEYS[2]) == 1 then
  return { 1, available or 0, 0 }
end
if not available then
  if ARGV[2] == '1' then
    return { 0, 0, 0 }
  end
  for index = 3, #KEYS do
    redis.call('DEL', KEYS[index])
  end
end
redis.call('SET', KEYS[2], '1', 'PX', ARGV[5])
local changed = redis.pcall('INCRBY', KEYS[1], ARGV[1])
if type(changed) ~= 'number' then
  redis.call('DEL', KEYS[2])
  return changed
end
if tonumber(ARGV[1]) > 0 then
  return { 1, changed, announce(ARGV[4], ARGV[3], changed) }
end
return { 1, changed, 0 }
