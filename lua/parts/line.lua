--[[
  The line in which processes wait: first come, first served. A script that finds room gives it to the next in line, and tells that
  process alone.

  KEYS[2]  the line: a sorted set of places by ticket: when the place was taken (server, microseconds), or the last ticket and 1 where that
           is more. A place is `<mode>:<owner>`: how the process will hold the lock, and under which owner
  KEYS[3]  the processes in line: a hash of client -> "looks lease:word:unclaimed away places"
             looks   when each of its places will have looked by itself (server, milliseconds)
             lease   how long a grant lasts until the process takes over: the same for all of its places
             word    what the process and this key alone know: it proves that a message about a grant is of such a script
             unclaimed  where several may hold: the last of its places that was granted, until it sends a request; else nothing
             away    since when no message reaches the process, 0 while it is reachable
             places  how many places it has
           and, for a lock that one owner has at a time, of `:last` -> the most recently granted place, until it releases; `:unclaimed` -> the
           same, until its owner sends a request; and `:ours`, see turns.lua.
           These outlive the line
  A message to a process is `<count> <proof> <server's microseconds> <lease> <place> <token> … <KEYS[1]>` (grants), or `0 <milliseconds>
  <place> <KEYS[1]>` (look after so long). It names the lock, because all locks of a process share its channel. The proof is the SHA-1, in
  hex, of the word, all that follows, and the word again: whoever may publish could let a process in beside the holder without it.

  Returns functions. A script that includes this one defines before it:
    publish              PUBLISH, or SPUBLISH in a cluster
    channels             prefix of the processes' channels
    admits(place)
    grant(place, lease)  gives the token (`-` without), or nil and the error; and true, if other places may share the lock with it. Such
                         a script itself keeps track of grants that lapse, and calls doubt()
    withdraw(place)
]]
--@include server-time
local line, processes = KEYS[2], KEYS[3]
-- How long an unreachable process keeps its places: a broken connection is made again. The line passes it over meanwhile.
local AWAY_MS = 10000
-- How long the store remembers whose turn it is after the line has emptied.
local TURNS_KEPT_MS = 60000
-- A process that looks at most so much later than the lock ends gets no message about it.
local SLACK_MS = 50
-- The processes of so many places look when the lock ends. Those behind them rest for so many leases of a grant at least.
local FRONT, RESTS = 8, 6
-- Whether this request has found room, and has given it to another.
local moved_on = false

-- Owners are `<client>:<number>`.
local function client_of(place)
  return string.match(place, '^[^:]*:([^:]*)')
end

local function process_of(client)
  local known = redis.call('HGET', processes, client) or ''
  local looks, lease, word, unclaimed, away, places = string.match(known, '^(%d+) (%d+):?([^: ]*):?(%S*) (%d+) (%d+)$')
  if looks then
    return {
      looks = tonumber(looks),
      lease = lease,
      word = word,
      away = tonumber(away),
      places = tonumber(places),
      unclaimed = unclaimed,
    }
  end
end

local function keep(client, it)
  local known = string.format('%.0f %s:%s:%s %.0f %.0f', it.looks, it.lease, it.word, it.unclaimed, it.away, it.places)
  redis.call('HSET', processes, client, known)
end

-- The process has sent a request: it has heard of its grants, if there were any.
local function claim(client)
  local it = process_of(client)
  if it and it.unclaimed ~= '' then
    it.unclaimed = ''
    keep(client, it)
  end
end

local function leave(place)
  local client = client_of(place)
  -- Read before anything is written: a key of another type then changes nothing.
  local it = process_of(client)
  if redis.call('ZREM', line, place) == 0 then
    return false
  end
  if redis.call('EXISTS', line) == 0 then
    redis.call('HDEL', processes, client)
    if redis.call('HEXISTS', processes, ':ours') == 1 then
      redis.call('PEXPIRE', processes, TURNS_KEPT_MS)
    end
  elseif it and it.places > 1 then
    it.places = it.places - 1
    keep(client, it)
  else
    redis.call('HDEL', processes, client)
  end
  return true
end

-- Whether the process received it; nil where this node may not publish. By `publish`, unless another command is given.
local function tell(client, message, command)
  local heard = redis.pcall(command or publish, channels .. client, message .. ' ' .. KEYS[1])
  if type(heard) == 'number' then
    return heard > 0
  end
end

-- Of the two keys one may have been deleted by hand, or evicted: a place without its process is none, and a process without the line has no
-- places. Told to count places that it does not have, or too few, a process would ask again and again, or not at all.
local function mend(last)
  if not last then
    for _, field in ipairs(redis.call('HKEYS', processes)) do
      if string.sub(field, 1, 1) ~= ':' then
        redis.call('HDEL', processes, field)
      end
    end
    return
  end
  for _, place in ipairs(redis.call('ZRANGE', line, 0, -1)) do
    if not process_of(client_of(place)) then
      redis.call('ZREM', line, place)
    end
  end
end

local function in_front(client)
  for _, place in ipairs(redis.call('ZRANGE', line, 0, FRONT - 1)) do
    if client_of(place) == client then
      return true
    end
  end
  return false
end

-- Adds a place at the end of the line, or keeps the existing one. Its process looks after `left`, when the lock ends, and after `looks` at the
-- latest; it rests for longer where others look before it, and it has not moved the line on itself. `terms` are the lease of a grant and
-- the word. Returns the error where that is refused, how many places the process has, whether the line was empty, and whether it rests.
local function stand(place, left, looks, terms)
  local client, now = client_of(place), server_time()
  -- Read before anything is written: a key of another type then changes nothing.
  local last, it = redis.call('ZRANGE', line, -1, -1, 'WITHSCORES'), process_of(client)
  local empty = not last[1]
  if empty then
    mend(nil)
    it = nil
  elseif not process_of(client_of(last[1])) or (not it and redis.call('ZSCORE', line, place)) then
    mend(last[1])
    last, it = redis.call('ZRANGE', line, -1, -1, 'WITHSCORES'), process_of(client)
  end
  it = it or { places = 0, looks = 0 }
  local known = not empty and redis.call('ZSCORE', line, place)
  local rests = known and not moved_on and not in_front(client)
  it.lease, it.word = string.match(terms, '^(%d+):([^: ]+)$')
  local ends_in = rests and math.max(left, RESTS * it.lease) or left
  local looks_in = left < 0 and looks or math.min(ends_in, looks)
  local lives = looks_in + AWAY_MS
  -- Each place knows when it looks itself: this one may leave before that, and the others look later.
  it.looks, it.away, it.unclaimed = math.max(it.looks, now + looks_in), 0, ''
  if known then
    -- First, because a full server allows it, and then allows the rest too: no place is lost for lack of memory.
    redis.call('PEXPIRE', line, string.format('%.0f', math.max(redis.call('PTTL', line), lives)))
  else
    redis.call('ZADD', line, string.format('%.0f', math.max((last[2] or 0) + 1, server_time_us())), place)
    it.places = it.places + 1
  end
  keep(client, it)
  for _, key in ipairs({ line, processes }) do
    if redis.call('PTTL', key) < lives then
      local kept = redis.pcall('PEXPIRE', key, string.format('%.0f', lives))
      if kept ~= 1 then
        leave(place)
        return kept
      end
    end
  end
  return nil, it.places, empty, rests
end

-- The grant to that place has lapsed: its process did not take over, or has stopped. It counts as away until it sends a request, so that
-- it costs one lease at most, however many places it has. The message has a process that is alive send one.
local function doubt(place, asking)
  local client = client_of(place)
  local it = client ~= asking and process_of(client)
  if it and it.away == 0 then
    it.away, it.unclaimed = server_time(), ''
    keep(client, it)
    tell(client, '0 0 ' .. place)
  end
end

-- The lock is free although the last place that was granted it has not released. If its owner took over, no grant has lapsed.
local function suspect(asking)
  local known = redis.call('HMGET', processes, ':last', ':unclaimed')
  -- Read, too, before anything is written.
  if known[1] and redis.call('ZCARD', line) then
    redis.call('HDEL', processes, ':last', ':unclaimed')
    if known[2] then
      doubt(known[2], asking)
    end
  end
end

--[[
  Grants the lock to the next places, as far as there is room, and tells each process which of its places got it. Stops at `me`, the
  place that this very request is for. Returns how many got it; the error, if the script may not grant or publish; and the head of the line
  with its process, if there is no room for it.
]]
local function advance(me)
  local let_in, refused, since, again = 0, nil, nil, true
  local head, head_process
  while again do
    local told, order, index, shared = {}, {}, 0, true
    again, head = false, nil
    repeat
      local place = redis.call('ZRANGE', line, index, index)[1]
      if not place or place == me then
        break
      end
      local client = client_of(place)
      local it = process_of(client)
      if not it or (it.away > 0 and server_time() - it.away > AWAY_MS) then
        leave(place)
      elseif it.away > 0 then
        index = index + 1
      elseif not admits(place) then
        head, head_process = place, it
        break
      else
        -- Never later than the grants: the processes count their leases from it.
        since = since or server_time_us()
        local token, failure, room = grant(place, it.lease)
        if not token then
          refused = failure
          break
        end
        shared = room
        if not told[client] then
          order[#order + 1] = client
          told[client] = { it = it, words = '', places = {} }
        end
        table.insert(told[client].places, place)
        told[client].words = told[client].words .. ' ' .. place .. ' ' .. token
        index = index + 1
      end
    until not shared
    for _, client in ipairs(order) do
      local it, places = told[client].it, told[client].places
      local granted = string.format('%.0f %s', since, it.lease) .. told[client].words
      local proof = redis.sha1hex(it.word .. granted .. ' ' .. KEYS[1] .. it.word)
      local heard = tell(client, string.format('%d %s %s', #places, proof, granted))
      for _, place in ipairs(places) do
        if not heard then
          withdraw(place)
        else
          -- Before it leaves: Redis deletes the key with its last field, and a later write would make it again without a time to live.
          if not shared then
            redis.call('HSET', processes, ':last', place, ':unclaimed', place)
          end
          leave(place)
          local stays = shared and process_of(client)
          if stays then
            stays.unclaimed = place
            keep(client, stays)
          end
          let_in = let_in + 1
        end
      end
      if heard == false then
        it.away = server_time()
        keep(client, it)
        again = not refused
      elseif heard == nil then
        refused, again = 'untold', false
      end
    end
  end
  moved_on = let_in > 0
  return let_in, refused, head, head_process
end

-- The first place in line whose process is not away, and that process.
local function head_of_line()
  local index = 0
  while line do
    local place = redis.call('ZRANGE', line, index, index)[1]
    local it = place and process_of(client_of(place))
    if not place or (it and it.away == 0) then
      return place, it
    end
    index = index + 1
  end
end

-- Has the head of the line look after `left` milliseconds, or when KEYS[1] ends if there is no `left`, unless the head will look by then anyway. The
-- head is `place` of the process `it`, if the caller knows it. Passes over a process that no message reaches.
local function call_head(left, place, it)
  if not place then
    place, it = head_of_line()
  end
  left = left or (place and redis.call('PTTL', KEYS[1]) or 0)
  local looks = server_time() + left
  while place and it.looks > looks + SLACK_MS do
    local client = client_of(place)
    local heard = tell(client, string.format('0 %.0f %s', left, place))
    if heard == nil then
      return
    end
    -- Read again: other places of the process may have been granted the lock meanwhile.
    it = process_of(client)
    if heard then
      it.looks = looks
      keep(client, it)
      return
    end
    it.away = server_time()
    keep(client, it)
    place, it = head_of_line()
  end
end
