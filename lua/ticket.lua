--[[
  Changes the ticket of a client that waits.

  KEYS and ARGV[1]: see parts/lock.lua; KEYS[5]: see parts/tickets.lua
  ARGV[2]  client
  ARGV[3]  the number that it has on all servers

  Returns 1; 0 where that client had no ticket, and so nothing was changed.
]]
--@include lock
--@include tickets
if not tickets or redis.call('HEXISTS', tickets, ARGV[2]) == 0 then
  return 0
end
keep_ticket(ARGV[2], tonumber(ARGV[3]))
return 1
