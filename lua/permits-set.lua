--[[
  Sets the number of permits of a semaphore of either kind where none was set, gives them to those in line, and announces the rest.

  KEYS and ARGV[1]: see parts/permits.lua; behind them what this request came to, kept for a while
  ARGV[2]  permits
  ARGV[3]  how long the semaphore exists, in milliseconds; 0: for ever
  ARGV[4]  how long the outcome is kept, in milliseconds

  Returns
    {1, available, told}  done; told to so many connections, -1: this node could not
    {0, available, 0}     it was set before

  Safe to repeat for as long as its outcome is kept (rule X1).
]]
--@include permits
if redis.call('EXISTS', request) == 1 then
  return { 1, available(), 0 }
end
if was_set then
  if ended > 0 then
    pass_on()
  end
  return { 0, available(), 0 }
end
redis.call('SET', request, '1', 'PX', ARGV[4])
local set
if ARGV[3] == '0' then
  set = redis.pcall('SET', semaphore, ARGV[2])
else
  set = redis.pcall('SET', semaphore, ARGV[2], 'PX', ARGV[3])
end
if set.err then
  redis.call('DEL', request)
  return set
end
local told = pass_on()
return { 1, available(), told }
