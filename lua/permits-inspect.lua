--[[
  Reads which permits are out.

  KEYS[1]  the semaphore: the number of permits available
  KEYS[2]  a sorted set of the ids of the permits that are out, by the time when the lease of each ends

  Returns {first, id, id, …}: `first` is the time until the first lease ends or the semaphore expires, -1 where neither does, 0 where none is
  out; ids in hex.
]]
--@include server-time
--@include lease-ends
--@include permits-end
local now = server_time()
local live = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. now, '+inf', 'WITHSCORES')
local state = { 0 }
for index = 1, #live, 2 do
  -- Anything else is no permit.
  if #live[index] == 16 then
    state[#state + 1] = string.gsub(live[index], '.', function(byte)
      return string.format('%02x', string.byte(byte))
    end)
  end
end
if #state > 1 then
  state[1] = lasts(KEYS[1], tonumber(live[2]) >= NEVER and -1 or tonumber(live[2]) - now)
end
return state
