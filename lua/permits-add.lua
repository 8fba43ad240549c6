--[[
  Changes the number of permits of a semaphore of either kind. Where it has grown, gives them to the next in line, and announces the rest.

  KEYS and ARGV[1]: see parts/permits.lua; behind them what this request came to, kept for a while
  ARGV[2]  by how many; may be negative, and so may what is available then
  ARGV[3]  1: only where the semaphore is set
  ARGV[4]  how long the outcome is kept, in milliseconds
  ARGV[5]  the most permits that there may be, taken ones included, and the most that may be missing

  Returns
    {1, available, told}  done; told to so many connections, -1: this node could not
    {0, 0, 0}             the semaphore is not set
    {2, available, told}  it would lead out of that range, and has not changed the number; told as above, where leases had ended

  Safe to repeat for as long as its outcome is kept (rule X1).
]]
--@include permits
if redis.call('EXISTS', request) == 1 then
  return { 1, available(), 0 }
end
if not was_set and ARGV[3] == '1' then
  return { 0, 0, 0 }
end
local delta = tonumber(ARGV[2])
-- Each lease is of one permit at least.
local after = available() + redis.call('ZCARD', leases) + delta
if delta > 0 and after > tonumber(ARGV[5]) or delta < 0 and after < -tonumber(ARGV[5]) then
  local told = ended > 0 and pass_on() or 0
  return { 2, available(), told }
end
redis.call('SET', request, '1', 'PX', ARGV[4])
local changed = redis.pcall('INCRBY', semaphore, ARGV[2])
if type(changed) ~= 'number' then
  redis.call('DEL', request)
  return changed
end
local told = (delta > 0 or ended > 0) and pass_on() or 0
return { 1, available(), told }
