--[[
  Gives a server's vote back, the last hold, and the ticket of the owner's client. The next in the server's own line gets the lock, or it is
  announced with whose turn it is.

  KEYS and ARGV[1]: see parts/lock.lua; KEYS[5]: see parts/tickets.lua
  ARGV[2]  owner
  ARGV[3]  1: the client waits, and keeps its ticket. Absent: it has had the lock, or has left

  Returns as release.lua. Safe to repeat.
]]
--@include lock
--@include tickets
local owner = ARGV[2]
-- These are read before anything is written: a key of another type then changes nothing.
local waiting = read_line()
local theirs = turn_of()
local client = client_of(mode .. ':' .. owner)
local had = redis.call('HDEL', lock, owner) == 1
if tickets and ARGV[3] then
  turn_ticket(client, 1)
elseif tickets then
  redis.call('HDEL', tickets, client)
end
if not had then
  -- Its turn is the next one's now.
  if not ARGV[3] and theirs == client and admits() then
    announce_free()
  end
  return -1
end
redis.call('HDEL', lock, 'since')
if waiting then
  return pass_on(waiting)
end
local told = announce_free()
return told and told + 1 or -2
