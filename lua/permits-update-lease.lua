--[[
  Sets how much longer a permit stays taken, whatever its owner: longer or shorter. Tells of an end that comes nearer, because waiters sleep
  until the first end that they know.

  KEYS and ARGV[1]: see parts/permits.lua; behind them what this request came to, kept for a while
  ARGV[2]  id, of 16 bytes
  ARGV[3]  lease in milliseconds; 0: it never ends
  ARGV[4]  how long the outcome is kept, in milliseconds

  Returns
    {1, 1, told}  set; told to so many connections, -1: this node could not. The message is 1, which has one waiter look
    {0, 0, 0}     it is not out (any more)

  Safe to repeat for as long as its outcome is kept: what others change meanwhile stays (rule X1).
]]
--@include permits
if redis.call('EXISTS', request) == 1 then
  return { 1, 1, 0 }
end
local ends = redis.call('ZSCORE', leases, ARGV[2])
if ended > 0 then
  pass_on()
end
if not ends then
  return { 0, 0, 0 }
end
-- Redisson knows this very number by heart.
local until_when = ARGV[3] == '0' and NEVER or now + tonumber(ARGV[3])
redis.call('ZREM', leases, '')
redis.call('ZADD', leases, string.format('%.0f', until_when), ARGV[2])
redis.call('SET', request, '1', 'PX', ARGV[4])
if until_when >= tonumber(ends) then
  return { 1, 1, 0 }
end
if redis.call('ZCARD', line) > 0 then
  call_head(obstacle())
end
return { 1, 1, announce(publish, channel, '1') }
