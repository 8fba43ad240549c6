--[[
  Takes a lock that an owner is given by a majority of servers: this server's vote, for a first hold.

  KEYS and ARGV[1]: see parts/lock.lua; KEYS[5]: see parts/tickets.lua
  ARGV[2]  owner
  ARGV[3]  lease in milliseconds
  ARGV[4]  the ticket of the owner's client, which waits; 0: the next one, unless it has one here; absent: it does not wait

  Returns `-` where the vote is the owner's, else {left, holder, ticket, since}: left: how many milliseconds until the vote may be had, by the
  holder's lease (-1: no end) or, where there is no holder, by another's turn; ticket: what the client has now, 0: none; since: when the holder
  was given it, nil where that is not known.

  Safe to repeat: an owner that has the vote keeps it (rule X1).
]]
--@include lock
--@include tickets
local owner, lease = ARGV[2], ARGV[3]
local me = mode .. ':' .. owner
local client = client_of(me)

local function busy(left)
  local ticket = tickets and ARGV[4] and keep_ticket(client, tonumber(ARGV[4])) or 0
  local holder, since = holder_of(lock)
  return { left, holder or '', ticket, since }
end

if redis.call('HEXISTS', lock, owner) == 1 then
  if redis.call('PTTL', lock) < tonumber(lease) then
    redis.call('PEXPIRE', lock, lease)
  end
  return '-'
end
if not admits() then
  return busy(redis.call('PTTL', lock))
end
-- Who uses this server alone may stand in its line.
if line and redis.call('EXISTS', line) == 1 then
  suspect(client)
  local theirs = their_turn()
  if theirs > 0 then
    return busy(theirs)
  end
  if advance(me) > 0 then
    call_head()
    return busy(redis.call('PTTL', lock))
  end
end
if tickets and ARGV[4] then
  keep_ticket(client, tonumber(ARGV[4]))
end
local theirs = turn_of_another(client, ARGV[4])
if theirs > 0 then
  return busy(theirs)
end
local token, failure = grant(me, lease)
if token and tickets and ARGV[4] then
  turn_ticket(client, -1)
end
return token or failure
