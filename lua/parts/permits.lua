--[[
  A number of permits, what is taken of it, and its line. Of semaphores of either kind: `p`, each permit has an id, or `s`, it has none.

  KEYS[1]  the semaphore: the number of permits available
  KEYS[2]  the line, KEYS[3] the processes in it: see line.lua and turns.lua. A place is `<permits>:<owner>`
  KEYS[4]  a sorted set of who holds, by the time when each lease ends: owners (`s`), or ids (`p`)
  KEYS[5]  `s`: a hash of owner -> permits taken. Further keys of a script come behind: KEYS[6] is KEYS[5] for `p`
  ARGV[1]  `<kind> <publish> <channels> <before> <channel>`, as one text:
             publish   PUBLISH, or SPUBLISH in a cluster
             channels  prefix of the processes' channels
             channel   on which what is available is announced; with `before` before it: the roster

  Returns functions. The permits of ended leases have been given back, so that the rest of the script sees live ones only.
]]
--@include server-time
--@include lease-ends
--@include permit-ids
--@include permits-end
--@include whole-number
--@include announce
--@include loss
local kind, publish, channels, roster, channel = string.match(ARGV[1], '^(%S+) (%S+) (%S+) (%S+) (.*)$')
roster = roster .. channel
local semaphore, leases, taken = KEYS[1], KEYS[4], kind == 's' and KEYS[5]
local request = KEYS[kind == 's' and 6 or 5]
local now = server_time()

-- Read before anything is written: a key of another type then changes nothing.
local was_set = whole_number(semaphore)
if redis.call('ZCARD', KEYS[2]) > 0 then
  redis.call('HLEN', KEYS[3])
end

local function available()
  return whole_number(semaphore) or 0
end

local function wish_of(place)
  local permits, owner = string.match(place, '^(%d+):(.*)$')
  return tonumber(permits), owner
end

-- What stands for an owner's permits in the sorted set. Without a number of permits, 0, it goes on until the first id that is not there.
local function members_of(owner, permits)
  if taken then
    return redis.call('HEXISTS', taken, owner) == 1 and { owner } or {}
  end
  return permits_out(leases, id_prefix(owner), permits)
end

-- Returns how many permits those were. Whatever fails (no permission), all is as before.
local function give_back(members)
  local permits, ends, counts = 0, {}, {}
  for index, member in ipairs(members) do
    ends[index] = redis.call('ZSCORE', leases, member)
    counts[index] = taken and tonumber(redis.call('HGET', taken, member) or 0) or 1
    permits = permits + counts[index]
  end
  local done = 0
  -- First what frees memory: after that a full server refuses nothing.
  for _, member in ipairs(members) do
    redis.call('ZREM', leases, member)
    if taken and type(done) == 'number' then
      done = redis.pcall('HDEL', taken, member)
    end
  end
  if type(done) == 'number' and permits > 0 then
    done = redis.pcall('INCRBY', semaphore, permits)
  end
  if type(done) ~= 'number' then
    for index, member in ipairs(members) do
      if taken then
        redis.call('HSET', taken, member, counts[index])
      end
      if ends[index] then
        redis.call('ZADD', leases, ends[index], member)
      end
    end
    error(done)
  end
  return permits
end

-- Gives the error where the server refuses; then nothing stays of it.
local function take(owner, permits, lease)
  local ends, members = string.format('%.0f', now + lease), { owner }
  if not taken then
    local prefix = id_prefix(owner)
    for index = 0, permits - 1 do
      members[index + 1] = prefix .. struct.pack('>I4', index)
    end
  end
  local done = 0
  for _, member in ipairs(members) do
    done = type(done) == 'number' and redis.pcall('ZADD', leases, ends, member) or done
  end
  if taken and type(done) == 'number' then
    done = redis.pcall('HSET', taken, owner, permits)
  end
  if type(done) == 'number' then
    done = redis.pcall('DECRBY', semaphore, permits)
  end
  if type(done) ~= 'number' then
    for _, member in ipairs(members) do
      redis.call('ZREM', leases, member)
    end
    if taken then
      redis.call('HDEL', taken, owner)
    end
    return done
  end
  -- What is beside a number that has an end is gone with it.
  local left = redis.call('PTTL', semaphore)
  if left > 0 then
    redis.call('PEXPIRE', leases, left)
    if taken then
      redis.call('PEXPIRE', taken, left)
    end
  end
end

-- What a grant says where others have a token: until when the number lasts, in milliseconds; `-`: for ever.
local function end_of_grant()
  local left = redis.call('PTTL', semaphore)
  return left >= 0 and string.format('%.0f', left) or '-'
end

local function admits(place)
  return available() >= wish_of(place)
end

local function grant(place, lease)
  local permits, owner = wish_of(place)
  local failure = take(owner, permits, tonumber(lease))
  return not failure and end_of_grant() or nil, failure, true
end

local function withdraw(place)
  local permits, owner = wish_of(place)
  give_back(members_of(owner, permits))
end
--@include turns

-- How many permits came back because their lease has ended.
local ended = 0
if not was_set then
  -- The semaphore was deleted or has expired: what was taken from it stands for nothing any more.
  redis.call('DEL', leases)
  if taken then
    redis.call('DEL', taken)
  end
else
  local members = redis.call('ZRANGEBYSCORE', leases, '-inf', now)
  ended = #members > 0 and give_back(members) or 0
end

-- Grants that lapsed before their processes showed that they have heard of them. `asking` is the client of this request, which is alive.
local function doubt_lapsed(asking)
  for _, client in ipairs(ended > 0 and redis.call('HKEYS', processes) or {}) do
    local it = process_of(client)
    if it and it.unclaimed ~= '' then
      local permits, owner = wish_of(it.unclaimed)
      if #members_of(owner, permits) == 0 then
        doubt(it.unclaimed, asking)
      end
    end
  end
end

-- How long until the next may enter if nobody gives anything back: the end of the first lease, or of the number; -1 where none ends.
local function obstacle()
  return lasts(semaphore, first_end(leases, now))
end

-- Gives what is available to the next in line, as far as it goes, and announces the rest to those outside. Returns how many connections were
-- told, -1 where this node may not tell.
local function pass_on(asking)
  if redis.call('ZCARD', line) > 0 then
    doubt_lapsed(asking)
    local theirs = their_turn() > 0 or (available() > 0 and leaves_it_to_others())
    if not theirs then
      local _, refused, head, it = advance()
      local left = head and obstacle() or -1
      if left >= 0 then
        call_head(left, head, it)
      end
      -- Permits too few for the head are announced only if somebody outside the line listens.
      if head and not refused and (outsiders() or 1) <= 0 then
        return 0
      end
    end
  end
  return available() > 0 and announce(publish, channel, available()) or 0
end
