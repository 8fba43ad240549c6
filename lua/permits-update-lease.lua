--[[
  Sets how long a permit is out yet, whoever took it: longer or shorter.

  KEYS[1]  a sorted set of the ids of the permits that are out, by the time when the lease of each ends
  ARGV[1]  id, of 16 bytes
  ARGV[2]  lease in milliseconds; 0: it never ends

  Returns
    1  set
    0  it is not out (any more)
]]
--@include server-time
--@include lease-ends
local now, ends = server_time(), redis.call('ZSCORE', KEYS[1], ARGV[1])
if not ends or tonumber(ends) <= now then
  return 0
end
-- Redisson knows this very number by heart.
local never = string.format('%.0f', NEVER)
redis.call('ZREM', KEYS[1], '')
redis.call('ZADD', KEYS[1], ARGV[2] == '0' and never or now + tonumber(ARGV[2]), ARGV[1])
return 1
