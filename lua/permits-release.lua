--[[
  Gives an owner's permits back, to the next in line, and announces what is left. Also undoes an acquire whose outcome is unknown, and takes
  its owner out of the line.

  KEYS and ARGV[1]: see parts/permits.lua
  ARGV[2]  owner
  ARGV[3]  how many permits there are; 0: unknown
  ARGV[4]  1: the owner may stand in line, and leaves it; else 0

  Returns
    {permits, available, told}  so many were given back, so many are available now; told to so many connections, -1: this node could not
    {0, available, told}        the owner has none (any more)

  Safe to repeat: what is gone is not given back again (rule X1).
]]
--@include permits
local owner, place = ARGV[2], ARGV[3] .. ':' .. ARGV[2]
local client = client_of(place)
if redis.call('ZCARD', line) > 0 then
  claim(client)
end
local left = ARGV[4] == '1' and leave(place)
local permits, told = give_back(members_of(owner, tonumber(ARGV[3]))), 0
if permits == 0 then
  sure_of_loss('ZREM', leases)
end
if permits + ended > 0 or left then
  told = pass_on(client)
end
return { permits, available(), told }
