--[[
  Starts the lease of an owner's permits anew. Never shortens the time left, and never revives what has ended.

  KEYS[1]  the semaphore: the number of permits available
  KEYS[2]  a sorted set of owners by the time when the lease of each ends
  ARGV[1]  owner
  ARGV[2]  lease in milliseconds

  Returns
    milliseconds  renewed for so long: for the lease, or until the semaphore expires
    0             the owner has no permits (any more)
]]
--@include server-time
--@include lease-ends
--@include whole-number
--@include permits-end
--@include loss
local now = server_time()
local ends = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not ends or tonumber(ends) <= now or not whole_number(KEYS[1]) then
  sure_of_loss('ZREM', KEYS[2])
  return 0
end
extend_lease(KEYS[2], ARGV[1], now + tonumber(ARGV[2]))
return math.max(lasts(KEYS[1], tonumber(ARGV[2])), 1)
