--[[
  Reads who holds permits of a semaphore.

  KEYS[1]  the semaphore: the number of permits available
  KEYS[2]  a sorted set of owners by the time when the lease of each ends
  KEYS[3]  a hash of owner -> permits taken

  Returns {first, owner, permits, owner, permits, …}: `first` is the time until the first lease ends or the semaphore expires, 0 where there is
  none.
]]
--@include server-time
--@include permits-end
local now = server_time()
local state = { 0 }
if redis.call('EXISTS', KEYS[1]) == 0 then
  return state
end
local live = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. now, '+inf', 'WITHSCORES')
for index = 1, #live, 2 do
  state[#state + 1] = live[index]
  state[#state + 1] = redis.call('HGET', KEYS[3], live[index]) or '0'
end
if live[2] then
  state[1] = lasts(KEYS[1], tonumber(live[2]) - now)
end
return state
