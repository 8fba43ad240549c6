--[[
  Reads who holds a read-write lock, and how many clients wait for it. Writes nothing.

  KEYS[1]  the holds: a hash of member -> `<count>:<fencing token>`; a member is `r:<owner>` or `w:<owner>`
  KEYS[2]  their leases: a sorted set of members by the time each ends
  KEYS[3]  the line: a sorted set of members by ticket
  KEYS[4]  a sorted set of the members in line by the time when the place of each lapses
  ARGV[1]  r: the readers; w: the writer

  Returns {clients in line, left, owner, count, owner, count, …}: `left` is the longest lease's time in milliseconds, 0 when free.
]]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local waiting, seen = 0, {}
for _, member in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
  local client = string.match(member, '^.:([^:]*)')
  if not seen[client] and (tonumber(redis.call('ZSCORE', KEYS[4], member)) or 0) > now then
    seen[client] = true
    waiting = waiting + 1
  end
end

local state = { waiting, 0 }
-- An open end: a lease is over at its very millisecond.
local live = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES')
for index = 1, #live, 2 do
  local member, ends = live[index], tonumber(live[index + 1])
  local count = string.match(redis.call('HGET', KEYS[1], member) or '', '^%d+')
  if count and string.sub(member, 1, 1) == ARGV[1] then
    state[2] = ends - now
    state[#state + 1] = string.sub(member, 3)
    state[#state + 1] = count
  end
end
return state
