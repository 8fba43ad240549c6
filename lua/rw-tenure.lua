--[[
  Reads what tells whether a sequencer of a read-write lock is good: whether a member holds it, and under which token. Writes
  nothing.

  KEYS[1]  the holds: a hash of member -> `<count>:<fencing token>:<since>`, see parts/rw-lock.lua
  KEYS[2]  their leases: a sorted set of members by the time each ends
  KEYS[3]  the last fencing token given out
  ARGV[1]  member

  Returns {1 if the member holds it else 0, token}: `token` is a text in decimal: the member's own if it holds, else the last given
  out, empty if none was or it is gone.
]]
--@include server-time
local now = server_time()
local ends = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]))
local hold = redis.call('HGET', KEYS[1], ARGV[1])
if hold and ends and ends > now then
  return { 1, string.match(hold, '^%d+:(%d+)') }
end
return { 0, redis.call('GET', KEYS[3]) or '' }
