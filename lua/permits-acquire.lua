--[[
  Takes permits that have an id and a lease each, all or none.

  KEYS[1]  the semaphore: the number of permits available
  KEYS[2]  a sorted set of the ids of the permits that are out, by the time when the lease of each ends
  ARGV[1]  the first 12 bytes of the ids: the owner, of this acquisition only
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
--@include permits-ended
--@include permit-ids
--@include announce
local semaphore, leases, owner = KEYS[1], KEYS[2], ARGV[1]
local now, wanted = server_time(), tonumber(ARGV[2])
local ends = now + tonumber(ARGV[3])
local available, returned = give_back_ended(semaphore, leases, now)
local mine = permits_out(leases, owner, wanted)
local granted = 0

if #mine > 0 then
  for _, id in ipairs(mine) do
    extend_lease(leases, id, ends)
  end
  granted = 1
elseif available and available >= wanted then
  -- Whatever fails here (a full server, no permission), nothing may stay of it.
  for index = 0, wanted - 1 do
    redis.call('ZADD', leases, ends, owner .. struct.pack('>I4', index))
  end
  local written = redis.pcall('DECRBY', semaphore, ARGV[2])
  if type(written) ~= 'number' then
    for _, id in ipairs(permits_out(leases, owner, wanted)) do
      redis.call('ZREM', leases, id)
    end
    return written
  end
  available = written
  granted = 1
  local left = redis.call('PTTL', semaphore)
  if left > 0 then
    redis.call('PEXPIRE', leases, left)
  end
end
if returned > 0 and available > 0 then
  announce(ARGV[5], ARGV[4], available)
end
return { granted, available or 0, first_end(leases, now) }
