--[[
  Counts permits, those of ended leases as available.

  KEYS[1]  the semaphore: the number of permits available
  KEYS[2]  a sorted set of the ids of the permits that are out, by the time when the lease of each ends
  ARGV[1]  channel
  ARGV[2]  PUBLISH, or SPUBLISH in a cluster

  Returns {available, out}.
]]
--@include server-time
--@include permits-ended
--@include announce
local available, returned = give_back_ended(KEYS[1], KEYS[2], server_time())
if returned > 0 then
  announce(ARGV[2], ARGV[1], available)
end
return { available or 0, redis.call('ZCARD', KEYS[2]) }
