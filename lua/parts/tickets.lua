--[[
  Tickets of the clients that wait for a lock of which this server has one vote. While the lock is free, the client with the least ticket is asked
  for first: it has its turn, for a while. All servers order the clients alike, so that their votes go to one of them. A ticket is a preference
  and no more: one who counts the votes needs none, and the loss of all tickets costs only the order.

  KEYS[5]  the tickets: a hash of client -> number, below zero while the client has the vote, and of `:turn` -> `<client> <until>`: whose turn it
           is, and until when (server, milliseconds). Without it nobody is preferred
  A release is announced as `0 <client>`: whose turn it is; `0` where nobody has a ticket.

  Returns functions. A script that includes this one includes lock.lua before it.
]]
local tickets = KEYS[5]
-- How long the client whose turn it is has for its request, before it loses its ticket.
local TURN_MS = 200
-- How much longer than the lock's lease the tickets are kept: those who wait ask again when the lease that they know of ends.
local TICKETS_KEPT_MS = 10000

-- The client with the least ticket, nil where there is none; and the next number. One that has the vote does not wait: if its lease ends, its
-- ticket holds up nobody.
local function first_ticket()
  local fields, first, least, last = tickets and redis.call('HGETALL', tickets) or {}, nil, nil, 0
  for index = 1, #fields, 2 do
    local client, number = fields[index], tonumber(fields[index + 1])
    if client ~= ':turn' and number then
      last = math.max(last, math.abs(number))
      if number > 0 and (not first or number < least or (number == least and client < first)) then
        first, least = client, number
      end
    end
  end
  return first, last + 1
end

-- Keeps a ticket: with that number; 0: with the next one, unless the client has one. Returns its number, 0 where the server refuses.
local function keep_ticket(client, number)
  local kept, _, next_one = tonumber(redis.call('HGET', tickets, client)), first_ticket()
  if number == 0 then
    number = kept and math.abs(kept) or next_one
  end
  if kept ~= number then
    if type(redis.pcall('HSET', tickets, client, string.format('%.0f', number))) ~= 'number' then
      return 0
    end
  end
  local lives = math.max(redis.call('PTTL', lock), 0) + TICKETS_KEPT_MS
  if redis.call('PTTL', tickets) < lives and redis.pcall('PEXPIRE', tickets, string.format('%.0f', lives)) ~= 1 then
    redis.call('HDEL', tickets, client)
    return 0
  end
  return number
end

-- Marks the ticket of a client, if it has one: -1, the client has the vote; 1, it waits again.
local function turn_ticket(client, sign)
  local number = tonumber(redis.call('HGET', tickets, client))
  if number and number * sign < 0 then
    redis.pcall('HSET', tickets, client, string.format('%.0f', -number))
  end
end

-- The turn of the client with the least ticket begins. Returns the client, nil where nobody has a ticket.
local function call_next()
  local first = first_ticket()
  if first then
    -- Full or not, the server announces whose turn it is.
    redis.pcall('HSET', tickets, ':turn', first .. ' ' .. string.format('%.0f', server_time() + TURN_MS))
  elseif tickets then
    redis.call('HDEL', tickets, ':turn')
  end
  return first
end

local function turn_of()
  local turn = tickets and redis.call('HGET', tickets, ':turn')
  local client, ends = string.match(turn or '', '^(%S+) (%d+)$')
  if client and tonumber(redis.call('HGET', tickets, client) or 0) > 0 then
    return client, tonumber(ends) - server_time()
  end
end

-- Announces that the lock is free, and whose turn it is. Returns how many listeners received it, or nil.
local function announce_free()
  local first = call_next()
  local told = redis.pcall(publish, channel, first and '0 ' .. first or '0')
  return type(told) == 'number' and told or nil
end

-- The lock is free and that client asks for it: how long it is another's turn; 0: not at all. A turn that was let pass costs the ticket. One that
-- does not wait begins no turn: those who wait may all have died.
local function turn_of_another(client, waits)
  local theirs, left = turn_of()
  if theirs and theirs ~= client and left <= 0 then
    redis.call('HDEL', tickets, theirs, ':turn')
    theirs = nil
  end
  if theirs then
    return theirs ~= client and math.min(left, TURN_MS) or 0
  end
  local first = first_ticket()
  if not waits or not first or first == client then
    return 0
  end
  announce_free()
  return TURN_MS
end
