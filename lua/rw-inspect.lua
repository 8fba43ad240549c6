--[[
  Reads who holds a read-write lock, and how many clients wait for it. Writes nothing.

  KEYS: see parts/rw-lock.lua
  ARGV[1]  r: the readers; w: the writer

  Returns {processes in line, left, owner, count, since, owner, count, since, …}: `left` is the longest lease's time in milliseconds, 0 when free.
]]
--@include server-time
local now, state = server_time(), { redis.call('HLEN', KEYS[3]), 0 }
-- An open end: a lease is over at its very millisecond.
local live = redis.call('ZRANGEBYSCORE', KEYS[5], '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES')
for index = 1, #live, 2 do
  local member, ends = live[index], tonumber(live[index + 1])
  local count, since = string.match(redis.call('HGET', KEYS[1], member) or '', '^(%d+):%d+:(%d+)$')
  if count and string.sub(member, 1, 1) == ARGV[1] then
    state[2] = ends - now
    state[#state + 1] = string.sub(member, 3)
    -- Let in from the line counts as held, taken over or not.
    state[#state + 1] = string.format('%.0f', math.max(tonumber(count), 1))
    state[#state + 1] = since
  end
end
return state
