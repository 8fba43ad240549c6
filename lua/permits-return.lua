--[[
  Gives permits back by their ids, all or none, whatever their owners, and announces it.

  KEYS[1]   the semaphore: the number of permits available
  KEYS[2]   a sorted set of the ids of the permits that are out, by the time when the lease of each ends
  KEYS[3]   what this request came to, kept for a while
  ARGV[1]   channel
  ARGV[2]   PUBLISH, or SPUBLISH in a cluster
  ARGV[3]   how long KEYS[3] is kept, in milliseconds
  ARGV[4…]  ids, of 16 bytes

  Returns
    {permits, available, told}  so many were given back and are available; told to so many connections, -1: this node could not
    {0, available, told}        one of them is not out (any more); nothing was given back

  Safe to repeat for as long as its outcome is kept (rule X1).
]]
--@include server-time
--@include permits-ended
--@include announce
local semaphore, leases, permits = KEYS[1], KEYS[2], #ARGV - 3
if redis.call('EXISTS', KEYS[3]) == 1 then
  return { permits, whole_number(semaphore) or 0, 0 }
end
local available, returned = give_back_ended(semaphore, leases, server_time())
for index = 4, #ARGV do
  if not redis.call('ZSCORE', leases, ARGV[index]) then
    local told = returned > 0 and announce(ARGV[2], ARGV[1], available) or 0
    return { 0, available or 0, told }
  end
end
local ids = {}
for index = 4, #ARGV do
  ids[#ids + 1] = ARGV[index]
end
available = give_back(semaphore, leases, ids)
redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
return { permits, available, announce(ARGV[2], ARGV[1], available) }
