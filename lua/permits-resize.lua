--[[
  Sets how many permits there are, those that are out included, and announces it where there are more.

  KEYS[1]  the semaphore: the number of permits available
  KEYS[2]  a sorted set of the ids of the permits that are out, by the time when the lease of each ends
  KEYS[3]  what this request came to, kept for a while
  ARGV[1]  permits; with fewer than are out, what is available falls below 0
  ARGV[2]  channel
  ARGV[3]  PUBLISH, or SPUBLISH in a cluster
  ARGV[4]  how long KEYS[3] is kept, in milliseconds

  Returns {1, available, told}: so many are available then; told to so many connections, -1: this node could not.

  Safe to repeat for as long as its outcome is kept: what others change meanwhile stays (rule X1).
]]
--@include server-time
--@include permits-ended
--@include announce
if redis.call('EXISTS', KEYS[3]) == 1 then
  return { 1, whole_number(KEYS[1]) or 0, 0 }
end
local available, returned = give_back_ended(KEYS[1], KEYS[2], server_time())
local change = tonumber(ARGV[1]) - redis.call('ZCARD', KEYS[2]) - (available or 0)
if change ~= 0 or not available then
  available = redis.call('INCRBY', KEYS[1], change)
end
redis.call('SET', KEYS[3], '1', 'PX', ARGV[4])
local told = change + returned > 0 and announce(ARGV[3], ARGV[2], available) or 0
return { 1, available, told }
