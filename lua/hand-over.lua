--[[
  Gives a lock from one owner of a process to another. That its lease ends sooner than before is announced, and nothing else: whoever
  sleeps until the end it knew of is to look again.

  KEYS[1]  the lock: a hash of owner -> hold count, with the lease as its time to live
  ARGV[1]  owner that has it
  ARGV[2]  owner that gets it, with one hold; one the lock has not known before
  ARGV[3]  lease in milliseconds, exactly that of the new hold
  ARGV[4]  release channel
  ARGV[5]  PUBLISH, or SPUBLISH in a cluster; empty: nothing is announced

  Returns
    1  the lock is the new owner's
    0  the first owner does not hold it; nothing was changed

  Safe to repeat: the new owner's hold shows that this very request was carried out before (rule X1).
]]
--@include announce
local lock, from, to, lease = KEYS[1], ARGV[1], ARGV[2], ARGV[3]

if redis.call('HEXISTS', lock, to) == 1 then
  return 1
end
if redis.call('HEXISTS', lock, from) == 0 then
  return 0
end
local left = redis.call('PTTL', lock)
-- A full server refuses the first write; then nothing has changed yet.
redis.call('HSET', lock, to, 1)
redis.call('HDEL', lock, from)
redis.call('PEXPIRE', lock, lease)
if ARGV[5] ~= '' and (left < 0 or left > tonumber(lease)) then
  announce(ARGV[5], ARGV[4], '0')
end
return 1
