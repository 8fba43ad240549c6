--[[
  Sets how many permits there are, those that are out included. Where there are more, gives them to the next in line, and announces the rest.

  KEYS and ARGV[1]: see parts/permits.lua; behind them what this request came to, kept for a while
  ARGV[2]  permits; with fewer than are out, what is available falls below 0
  ARGV[3]  how long the outcome is kept, in milliseconds

  Returns {1, available, told}: so many are available then; told to so many connections, -1: this node could not.

  Safe to repeat for as long as its outcome is kept: what others change meanwhile stays (rule X1).
]]
--@include permits
if redis.call('EXISTS', request) == 1 then
  return { 1, available(), 0 }
end
local change = tonumber(ARGV[2]) - redis.call('ZCARD', leases) - available()
if change ~= 0 or not was_set then
  redis.call('INCRBY', semaphore, change)
end
redis.call('SET', request, '1', 'PX', ARGV[3])
local told = change + ended > 0 and pass_on() or 0
return { 1, available(), told }
