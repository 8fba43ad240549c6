--[[
  Gives a lock from one owner of a process to another. If its lease ends sooner than before, tells the first in line and announces it,
  because waiters sleep until the end that they know.

  KEYS and ARGV[1]: see parts/lock.lua
  ARGV[2]  owner that has it
  ARGV[3]  owner that gets it, with one hold; the lock has not known it before
  ARGV[4]  lease in milliseconds, exactly that of the new hold

  Returns a text, the token or `-`, where the lock is the new owner's; 0 where the first owner does not hold it, and nothing was changed.

  Safe to repeat: the new owner's hold shows that this very request was carried out before (rule X1). Who repeats it counts the lease
  from then, so it runs for at least ARGV[4] again.
]]
--@include lock
local from, to, lease = ARGV[2], ARGV[3], ARGV[4]
local left = redis.call('PTTL', lock)

if redis.call('HEXISTS', lock, to) == 1 then
  if left >= 0 and left < tonumber(lease) then
    redis.call('PEXPIRE', lock, lease)
  end
  return mode ~= 'x' and redis.call('GET', KEYS[4]) or '-'
end
if redis.call('HEXISTS', lock, from) == 0 then
  sure_of_loss('HDEL', lock)
  return 0
end
local _, last = read_line()
local note = string.match(redis.call('HGET', lock, 'since') or '', ' lingers.*')
-- Adds the hold first, so that the lock is never free in between.
local token, failure = grant(mode .. ':' .. to, lease, note)
if not token then
  return failure
end
redis.call('HDEL', lock, from)
if last == mode .. ':' .. from then
  redis.call('HSET', processes, ':last', mode .. ':' .. to)
  redis.call('HDEL', processes, ':unclaimed')
end
if left < 0 or left > tonumber(lease) then
  call_head(tonumber(lease))
  redis.pcall(publish, channel, '0')
end
return token
