--[[
  Sets how much longer a permit stays taken, whatever its owner: longer or shorter. Announces an end that comes nearer, because waiters
  sleep until the first end that they know.

  KEYS[1]  a sorted set of the ids of the permits that are out, by the time when the lease of each ends
  KEYS[2]  what this request came to, kept for a while
  ARGV[1]  id, of 16 bytes
  ARGV[2]  lease in milliseconds; 0: it never ends
  ARGV[3]  channel
  ARGV[4]  PUBLISH, or SPUBLISH in a cluster
  ARGV[5]  how long KEYS[2] is kept, in milliseconds

  Returns
    {1, 1, told}  set; told to so many connections, -1: this node could not. The message is 1, which has one waiter look
    {0, 0, 0}     it is not out (any more)

  Safe to repeat for as long as its outcome is kept: what others change meanwhile stays (rule X1).
]]
--@include server-time
--@include lease-ends
--@include announce
if redis.call('EXISTS', KEYS[2]) == 1 then
  return { 1, 1, 0 }
end
local now, ends = server_time(), redis.call('ZSCORE', KEYS[1], ARGV[1])
if not ends or tonumber(ends) <= now then
  return { 0, 0, 0 }
end
-- Redisson knows this very number by heart.
local until_when = ARGV[2] == '0' and NEVER or now + tonumber(ARGV[2])
redis.call('ZREM', KEYS[1], '')
redis.call('ZADD', KEYS[1], string.format('%.0f', until_when), ARGV[1])
redis.call('SET', KEYS[2], '1', 'PX', ARGV[5])
return { 1, 1, until_when < tonumber(ends) and announce(ARGV[4], ARGV[3], '1') or 0 }
