--[[
  Gives permits back by their ids, all or none, whatever their owners: to the next in line. Announces what is left.

  KEYS and ARGV[1]: see parts/permits.lua; behind them what this request came to, kept for a while
  ARGV[2]   how long the outcome is kept, in milliseconds
  ARGV[3…]  ids, of 16 bytes

  Returns
    {permits, available, told}  so many were given back, so many are available now; told to so many connections, -1: this node could not
    {0, available, told}        one of them is not out (any more); nothing was given back

  Safe to repeat for as long as its outcome is kept (rule X1).
]]
--@include permits
local ids, told = {}, 0
for index = 3, #ARGV do
  ids[#ids + 1] = ARGV[index]
end
if redis.call('EXISTS', request) == 1 then
  return { #ids, available(), 0 }
end
local permits = #ids
for _, id in ipairs(ids) do
  if not redis.call('ZSCORE', leases, id) then
    permits = 0
  end
end
if permits > 0 then
  give_back(ids)
  redis.call('SET', request, '1', 'PX', ARGV[2])
end
if permits + ended > 0 then
  told = pass_on()
end
return { permits, available(), told }
