--[[
  Gives back all permits that are out, and announces it.

  KEYS[1]  the semaphore: the number of permits available
  KEYS[2]  a sorted set of the ids of the permits that are out, by the time when the lease of each ends
  ARGV[1]  channel
  ARGV[2]  PUBLISH, or SPUBLISH in a cluster

  Returns {permits, available, told}: so many were given back and are available; told -1: this node could not tell.
]]
--@include whole-number
--@include announce
local available, permits, told = whole_number(KEYS[1]), redis.call('ZCARD', KEYS[2]), 0
if permits > 0 then
  redis.call('DEL', KEYS[2])
  available = redis.call('INCRBY', KEYS[1], permits)
  told = announce(ARGV[2], ARGV[1], available)
end
return { permits, available or 0, told }
