--[[
  Gives an owner's permits back, and announces it. Also undoes an acquire whose outcome is unknown.

  KEYS[1]  the semaphore: the number of permits available
  KEYS[2]  a sorted set of the ids of the permits that are out, by the time when the lease of each ends
  ARGV[1]  the first 12 bytes of the ids
  ARGV[2]  how many there are; 0: unknown
  ARGV[3]  channel
  ARGV[4]  PUBLISH, or SPUBLISH in a cluster

  Returns
    {permits, available, told}  so many were given back and are available; told to so many connections, -1: this node could not
    {0, available, told}        none of them is out (any more)

  Safe to repeat: what is gone is not given back again (rule X1).
]]
--@include server-time
--@include permits-ended
--@include permit-ids
--@include announce
--@include loss
local semaphore, leases = KEYS[1], KEYS[2]
local available, returned = give_back_ended(semaphore, leases, server_time())
local ids, told = permits_out(leases, ARGV[1], tonumber(ARGV[2])), 0
local permits = #ids
if permits > 0 then
  available = give_back(semaphore, leases, ids)
else
  sure_of_loss('ZREM', leases)
end
if permits + returned > 0 then
  told = announce(ARGV[4], ARGV[3], available)
end
return { permits, available or 0, told }
