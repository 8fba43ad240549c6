--[[
  Takes a read-write lock for reading or writing, or one more hold of it, or a place in its line.

  KEYS and ARGV[1…2]: see parts/rw-lock.lua
  ARGV[3]  r or w
  ARGV[4]  owner
  ARGV[5]  how many holds the member has before this one
  ARGV[6]  lease in milliseconds
  ARGV[7]  0: the owner does not wait. Else it gets a place in line, and looks again by itself after so many milliseconds at the latest
  ARGV[8]  the lease that is granted in line, until the owner takes over, and the word that proves a grant: `<milliseconds>:<word>`

  Returns
    a text                               granted: the token
    {left, holder, time, first, places, 0, since}
                                         busy for `left` milliseconds unless an owner releases, at those microseconds of the server;
                                         first: 1 where the owner is the first in line, 2 where others look before it when that time is
                                         over; how many places its process has there;
                                         since: when the holder was let in
    0                                    the member was to have ARGV[5] holds, but has none: it has lost the lock
   -1                                    the owner reads, and would wait for itself to write; nothing was changed

  Safe to repeat: a count above ARGV[5] shows that this very request was carried out before, or that the lock was granted to the
  member in line (rule X1).
]]
--@include rw-lock
local owner, me = ARGV[4], ARGV[3] .. ':' .. ARGV[4]
local before, lease, looks = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
doubt_lapsed(client_of(me))

local held, token, since = hold_of(me)
if held then
  -- First, because a full server allows it, and then allows the rest too: no grant in line is lost for lack of memory.
  for _, key in ipairs({ holds, leases }) do
    redis.call('PEXPIRE', key, string.format('%.0f', math.max(redis.call('PTTL', key), lease)))
  end
  -- The first hold has exactly its own lease, unlike a grant in line. A nested one never shortens the time left (L2).
  if (before == 0 and held <= 1) or now + lease > tonumber(redis.call('ZSCORE', leases, me)) then
    redis.call('ZADD', leases, string.format('%.0f', now + lease), me)
  end
  if held <= before then
    redis.call('HSET', holds, me, hold_text(before + 1, token, since))
  end
  move_on()
  return token
end
if before > 0 then
  sure_of_loss('HDEL', holds)
  move_on()
  return 0
end
if writes(me) and redis.call('HEXISTS', holds, 'r:' .. owner) == 1 then
  leave(me)
  move_on()
  return -1
end

local head, refused = head_of_line(), nil
-- Nobody passes the head: so reads that come later never starve a write that waits.
-- There is room for the head only if leases have ended, or a script could not publish to its process.
if head and head ~= me and admits(head) then
  refused = move_on(me)
  head = head_of_line()
end
local downgrades = not writes(me) and redis.call('HEXISTS', holds, 'w:' .. owner) == 1
-- A process that this node may not publish to waits until it looks by itself; no other process waits for that.
if downgrades or ((not head or head == me or refused) and admits(me)) then
  local failure
  token, failure = begin(me, lease, 1)
  if token then
    leave(me)
    move_on()
  end
  return token or failure
end
local places, rests, _ = 0, nil, nil
local left, holder, its_since = obstacle(head or me)
if looks > 0 then
  refused, places, _, rests = stand(me, left, looks, ARGV[8])
  if refused then
    return refused
  end
end
return { left, holder, server_time_us(), rests and 2 or (not head or head == me) and 1 or 0, places, 0, its_since }
