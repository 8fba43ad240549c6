--[[
  Sets how much longer a permit stays taken, whatever its owner: longer or shorter. Announces an end that comes nearer, because waiters
  sleep until the first end that they know.

  KEYS[1]  a sorted set of the ids of the permits that are out, by the time when the lease of each ends
  ARGV[1]  id, of 16 bytes
  ARGV[2]  lease in milliseconds; 0: it never ends
  ARGV[3]  channel
  ARGV[4]  PUBLISH, or SPUBLISH in a cluster

  Returns
    {1, 1, told}  set; told to so many connections, -1: this node could not. The message is 1, which has one waiter look
    {0, 0, 0}     it is not out (any more)
]]
--@include server-time
--@include lease-ends
--@include announce
local now, ends = server_time(), redis.call('ZSCORE', KEYS[1], ARGV[1])
if not ends or tonumber(ends) <= now then
  return { 0, 0, 0 }
end
-- Redisson knows this very number by heart.
local until_when = ARGV[2] == '0' and NEVER or now + tonumber(ARGV[2])
redis.call('ZREM', KEYS[1], '')
redis.call('ZADD', KEYS[1], string.format('%.0f', until_when), ARGV[1])
return { 1, 1, until_when < tonumber(ends) and announce(ARGV[4], ARGV[3], '1') or 0 }
