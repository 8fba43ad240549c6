--[[
  Starts one hold's lease anew. Never creates a hold, never shortens the time left, and touches no other hold's.

  KEYS[1]  the holds: a hash of member -> `<count>:<fencing token>:<since>`, see parts/rw-lock.lua
  KEYS[2]  their leases: a sorted set of members by the time each ends
  KEYS[3]  the last fencing token given out
  ARGV[1]  member
  ARGV[2]  lease in milliseconds
  ARGV[3]  how long the last token is kept beyond that, in milliseconds

  Returns
    1  renewed
    0  not held by the member
]]
--@include loss
--@include server-time
local now, lease = server_time(), tonumber(ARGV[2])
local ends, hold = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1])), redis.call('HGET', KEYS[1], ARGV[1])
if not ends or ends <= now or not hold then
  sure_of_loss('HDEL', KEYS[1])
  return 0
end
-- First, because a full server allows it, and then allows the rest too: no hold is lost for lack of memory.
for index = 1, 2 do
  redis.call('PEXPIRE', KEYS[index], string.format('%.0f', math.max(redis.call('PTTL', KEYS[index]), lease)))
end
if now + lease > ends then
  redis.call('ZADD', KEYS[2], now + lease, ARGV[1])
end
-- The renewal shows that the process has taken over its grant in line.
local rest = string.match(hold, '^0(:.*)$')
if rest then
  redis.call('HSET', KEYS[1], ARGV[1], '1' .. rest)
end
local kept = redis.call('PTTL', KEYS[3])
if kept >= 0 and kept < lease + ARGV[3] / 2 then
  redis.call('PEXPIRE', KEYS[3], string.format('%.0f', lease + ARGV[3]))
end
return 1
