--[[
  Reads how much longer a permit stays taken.

  KEYS[1]  the semaphore: the number of permits available
  KEYS[2]  a sorted set of the ids of the permits that are out, by the time when the lease of each ends
  ARGV[1]  id, of 16 bytes

  Returns milliseconds; -1: it never ends; -2: it is not out (any more)
]]
--@include server-time
--@include lease-ends
--@include permits-end
local now, ends = server_time(), tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or 0)
if ends <= now then
  return -2
end
return lasts(KEYS[1], ends >= NEVER and -1 or ends - now)
