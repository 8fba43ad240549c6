--[[
  Takes permits of a semaphore, all or none.

  KEYS[1]  the semaphore: the number of permits available
  KEYS[2]  a sorted set of owners by the time when the lease of each ends
  KEYS[3]  a hash of owner -> permits taken
  ARGV[1]  owner; of this acquisition only
  ARGV[2]  permits
  ARGV[3]  lease in milliseconds
  ARGV[4]  channel
  ARGV[5]  PUBLISH, or SPUBLISH in a cluster

  Returns
    {1, available, first}  granted; so many are left, and `first` milliseconds until the first lease ends
    {0, available, first}  not so many are available; `first` is -1 where no lease will give any back

  Safe to repeat: an owner that has its permits gets no more (rule X1).
]]
--@include server-time
--@include lease-ends
--@include semaphore-ended
--@include announce
local semaphore, leases, taken, owner = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local now, wanted = server_time(), tonumber(ARGV[2])
local ends = now + tonumber(ARGV[3])
local available, returned = give_back_ended(semaphore, leases, taken, now)
local granted = 0

if redis.call('HEXISTS', taken, owner) == 1 then
  extend_lease(leases, owner, ends)
  granted = 1
elseif available and available >= wanted then
  -- Whatever fails here (a full server, no permission), nothing may stay of it.
  redis.call('ZADD', leases, ends, owner)
  local written = redis.pcall('HSET', taken, owner, ARGV[2])
  if type(written) == 'number' then
    written = redis.pcall('DECRBY', semaphore, ARGV[2])
  end
  if type(written) ~= 'number' then
    redis.call('ZREM', leases, owner)
    redis.call('HDEL', taken, owner)
    return written
  end
  available = written
  granted = 1
  -- Without the semaphore they mean nothing.
  local left = redis.call('PTTL', semaphore)
  if left > 0 then
    redis.call('PEXPIRE', leases, left)
    redis.call('PEXPIRE', taken, left)
  end
end
if returned > 0 and available > 0 then
  announce(ARGV[5], ARGV[4], available)
end
return { granted, available or 0, first_end(leases, now) }
