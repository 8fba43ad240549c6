--[[
  Reads which permits are out.

  KEYS[1]  a sorted set of the ids of the permits that are out, by the time when the lease of each ends

  Returns {first, id, id, …}: `first` is the time until the first lease ends, -1 where none does, 0 where none is out; ids in hex.
]]
--@include server-time
--@include lease-ends
local now = server_time()
local live = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf', 'WITHSCORES')
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
  state[1] = tonumber(live[2]) >= NEVER and -1 or tonumber(live[2]) - now
end
return state
