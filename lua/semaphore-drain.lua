--[[
  Takes all permits that are available, for good.

  KEYS[1]  the semaphore: the number of permits available
  KEYS[2]  a sorted set of owners by the time when the lease of each ends
  KEYS[3]  a hash of owner -> permits taken
  KEYS[4]  what this request came to, kept for a while
  ARGV[1]  how long that is kept, in milliseconds

  Returns how many were taken; less than 0 where the semaphore was in debt, which is settled then.

  Safe to repeat for as long as its outcome is kept (rule X1).
]]
--@include server-time
--@include semaphore-ended
local done = redis.call('GET', KEYS[4])
if done then
  return tonumber(done)
end
local available = give_back_ended(KEYS[1], KEYS[2], KEYS[3], server_time()) or 0
if available ~= 0 then
  redis.call('SET', KEYS[4], available, 'PX', ARGV[1])
  local drained = redis.pcall('DECRBY', KEYS[1], available)
  if type(drained) ~= 'number' then
    redis.call('DEL', KEYS[4])
    return drained
  end
end
return available
