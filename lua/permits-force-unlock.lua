--[[
  Gives back all permits of known owners, to the next in line, and announces what is left. Permits without an id that were taken without a
  lease (by Redisson) are not known.

  KEYS and ARGV[1]: see parts/permits.lua

  Returns {permits, available, told}: so many were given back, so many are available now; told -1: this node could not tell.
]]
--@include permits
local permits, told = give_back(redis.call('ZRANGE', leases, 0, -1)), 0
if permits + ended > 0 then
  told = pass_on()
end
return { permits + ended, available(), told }
