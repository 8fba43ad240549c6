--[[
  Gives back all permits of all owners, and announces it. Permits that were taken without a lease (by Redisson) are not known.

  KEYS[1]  the semaphore: the number of permits available
  KEYS[2]  a sorted set of owners by the time when the lease of each ends
  KEYS[3]  a hash of owner -> permits taken
  ARGV[1]  channel
  ARGV[2]  PUBLISH, or SPUBLISH in a cluster

  Returns {permits, available, told}: so many were given back and are available; told -1: this node could not tell.
]]
--@include whole-number
--@include announce
local available, permits, told = whole_number(KEYS[1]), 0, 0
for _, taken in ipairs(redis.call('HVALS', KEYS[3])) do
  permits = permits + tonumber(taken)
end
redis.call('DEL', KEYS[2], KEYS[3])
if not available then
  return { 0, 0, 0 }
end
if permits > 0 then
  available = redis.call('INCRBY', KEYS[1], permits)
  told = announce(ARGV[2], ARGV[1], available)
end
return { permits, available, told }
