--[[
  Takes a read-write lock for reading or writing, or one more hold of it, or joins its line.

  KEYS[1]  the holds: a hash of member -> `<count>:<fencing token>`; a member is `r:<owner>` or `w:<owner>`
  KEYS[2]  their leases: a sorted set of members by the time each ends
  KEYS[3]  the line: a sorted set of members by ticket
  KEYS[4]  a sorted set of the members in line by the time when the place of each lapses
  KEYS[5]  the last fencing token given out
  ARGV[1]  PUBLISH, or SPUBLISH in a cluster
  ARGV[2]  how long a place lasts without being kept, in milliseconds
  ARGV[3]  r or w
  ARGV[4]  owner
  ARGV[5]  how many holds the member has before this one
  ARGV[6]  lease in milliseconds
  ARGV[7]  1: the owner waits if it is busy, and gets a place in line

  Returns {code, server's time in microseconds, error of an announcement or '', …}
    1, token         granted
    2, left, holder  busy for `left` milliseconds unless somebody releases
    0                the member was to have ARGV[5] holds, but has none: it has lost the lock
   -1                the owner reads, and would wait for itself to write; nothing was changed

  Safe to repeat: a count above ARGV[5] shows that this very request was carried out before, or that the lock was granted to the
  member in line (rule X1).
]]
--@include rw-line
local owner, member = ARGV[4], ARGV[3] .. ':' .. ARGV[4]
local before, lease = tonumber(ARGV[5]), tonumber(ARGV[6])

-- A script that fails halfway is not undone: a hold or a place whose key has no end (no permission, say) would stay for ever.
local function kept_or_undone()
  local refused = keep()
  if refused then
    drop(member)
    leave_line(member)
  end
  return refused
end

local held, token = hold_of(member)
if held then
  -- First, because a full server allows that, and then the rest too: a hold that was granted in line is not to be lost.
  redis.call('PEXPIRE', holds, string.format('%.0f', math.max(redis.call('PTTL', holds), lease)))
  -- The first hold has exactly its lease: what was granted in line had another. A nested one never shortens the time left (L2).
  if (before == 0 and held == 1) or now + lease > tonumber(redis.call('ZSCORE', leases, member)) then
    redis.call('ZADD', leases, now + lease, member)
  end
  if held <= before then
    redis.call('HSET', holds, member, string.format('%.0f:', before + 1) .. token)
  end
  advance()
  return answer(1, token)
end
if before > 0 then
  return answer(0)
end
if writes(member) and redis.call('HEXISTS', holds, 'r:' .. owner) == 1 then
  leave_line(member)
  advance()
  return answer(-1)
end

advance(member)
local head = first_in_line()
local downgrades = not writes(member) and redis.call('HEXISTS', holds, 'w:' .. owner) == 1
if downgrades or ((not head or head == member) and admits(member)) then
  token = grant(member, lease)
  leave_line(member)
  advance()
  return kept_or_undone() or answer(1, token)
end
if ARGV[7] == '1' then
  local placed = redis.call('ZSCORE', line, member)
  if placed then
    -- As above: who has a place is not sent away by a full server.
    redis.call('PEXPIRE', line, string.format('%.0f', math.max(redis.call('PTTL', line), place_lease)))
  end
  -- The life first: a place without it would be taken for a dead one's.
  redis.call('ZADD', alive, now + place_lease, member)
  if not placed then
    local last = redis.call('ZRANGE', line, -1, -1, 'WITHSCORES')[2] or 0
    redis.call('ZADD', line, last + 1, member)
  end
  local refused = kept_or_undone()
  if refused then
    return refused
  end
end
local left, holder = obstacle(member)
return answer(2, left, holder)
