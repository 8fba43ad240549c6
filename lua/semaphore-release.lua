--[[
  Gives an owner's permits back, and announces it. Also undoes an acquire whose outcome is unknown.

  KEYS[1]  the semaphore: the number of permits available
  KEYS[2]  a sorted set of owners by the time when the lease of each ends
  KEYS[3]  a hash of owner -> permits taken
  ARGV[1]  owner
  ARGV[2]  channel
  ARGV[3]  PUBLISH, or SPUBLISH in a cluster

  Returns
    {permits, available, told}  so many were given back and are available; told to so many connections, -1: this node could not
    {0, available, told}        the owner has none (any more)

  Safe to repeat: what is gone is not given back again (rule X1).
]]
--@include server-time
--@include semaphore-ended
--@include announce
--@include loss
local semaphore, leases, taken, owner = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local available, returned = give_back_ended(semaphore, leases, taken, server_time())
local permits, told = 0, 0
if available and redis.call('HEXISTS', taken, owner) == 1 then
  permits = give_back(semaphore, leases, taken, owner)
  available = available + permits
else
  sure_of_loss('ZREM', leases)
end
if permits + returned > 0 then
  told = announce(ARGV[3], ARGV[2], available)
end
return { permits, available or 0, told }
