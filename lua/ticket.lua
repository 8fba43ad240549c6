--[[
  Changes the ticket of a client that waits, or takes it back.

  KEYS and ARGV[1]: see parts/lock.lua; KEYS[5]: see parts/tickets.lua
  ARGV[2]  client
  ARGV[3]  the number that it has on all servers; 0: it does not wait any more

  Returns 1; 0 where that client had no ticket, and so nothing was changed.
]]
--@include lock
--@include tickets
local client, number = ARGV[2], tonumber(ARGV[3])
if not tickets or redis.call('HEXISTS', tickets, client) == 0 then
  return 0
end
if number > 0 then
  keep_ticket(client, number)
  return 1
end
local theirs = turn_of()
redis.call('HDEL', tickets, client)
-- Who is next is told at once.
if theirs == client and admits() then
  announce_free()
end
return 1
