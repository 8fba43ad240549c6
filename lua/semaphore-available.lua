--[[
  Counts the permits that are available, those of ended leases included.

  KEYS[1]  the semaphore: the number of permits available
  KEYS[2]  a sorted set of owners by the time when the lease of each ends
  KEYS[3]  a hash of owner -> permits taken
  ARGV[1]  channel
  ARGV[2]  PUBLISH, or SPUBLISH in a cluster

  Returns how many; 0 where none were ever set, less after a reduction.
]]
--@include server-time
--@include semaphore-ended
--@include announce
local available, returned = give_back_ended(KEYS[1], KEYS[2], KEYS[3], server_time())
if returned > 0 then
  announce(ARGV[2], ARGV[1], available)
end
return available or 0
