--[[
  Takes all permits that are available, for good.

  KEYS and ARGV[1]: see parts/permits.lua; behind them what this request came to, kept for a while
  ARGV[2]  how long that is kept, in milliseconds

  Returns how many were taken; less than 0 where the semaphore was in debt, which is settled then.

  Safe to repeat for as long as its outcome is kept (rule X1).
]]
--@include permits
local done = redis.call('GET', request)
if done then
  return tonumber(done)
end
local drained = available()
if drained ~= 0 then
  redis.call('SET', request, drained, 'PX', ARGV[2])
  done = redis.pcall('DECRBY', semaphore, drained)
  if type(done) ~= 'number' then
    redis.call('DEL', request)
    return done
  end
end
return drained
