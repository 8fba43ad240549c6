--[[
  Takes a lock, or one more hold of it, or a place in its line.

  KEYS and ARGV[1]: see parts/lock.lua
  ARGV[2]  owner
  ARGV[3]  lease in milliseconds
  ARGV[4]  how many holds the owner has before this one; absent: none
  ARGV[5]  0 or absent: the owner does not wait. Below: it stands outside the line, and takes the lock wherever it is free, as Redisson's clients do.
           Else it gets a place in line, and looks again by itself after so many milliseconds at the latest
  ARGV[6]  the lease that is granted in line, until the owner takes over, and the word that proves a grant: `<milliseconds>:<word>`, see
           parts/line.lua. Needed with a place
  ARGV[7]  1: the owner's process would keep the lock beyond its release. Absent else

  Returns
    a text  granted: the token, `-` where there is none, `?` where in addition the line could not be reached, so that a place the owner has
            there is there still. The lease runs for at least ARGV[3]. With ` lingers` after it, the process may keep the lock until it is
            told that others ask for it, and for ARGV[3] at most
    {left, holder, time, first, places, lingers, since}
            held by another, whose lease has `left` milliseconds (-1: no end), at those microseconds of the server;
            first: 1 where the owner is the first in line, or would be; 2 where others look before it when the lease ends; how many places its process has there, -1 where the line could not be
            reached, so that it has got none; lingers: 1 where the holder's process may have nobody inside. It has been told; since: when the holder
            was given it, nil where that is not known
    0       the owner was to have ARGV[4] holds, but has none: it has lost the lock

  Safe to repeat: a count above ARGV[4] shows that this very request was carried out before, or that its owner was granted the lock in
  line (rule X1).
]]
-- Free, with nobody in line. This comes before everything else, because the rest makes three dozen functions at every call, which takes
-- longer than all that it does. 120 is `x`. Arguments stay texts where they can: numbers are turned back into texts at every call.
local before, taken = ARGV[4] or '0', redis.call('EXISTS', KEYS[1], KEYS[2] or KEYS[1])
if taken == 0 and before == '0' and not ARGV[7] and string.byte(ARGV[1]) == 120 and KEYS[2] then
  local time = redis.call('TIME')
  redis.call('HSET', KEYS[1], ARGV[2], '1', 'since', time[1] .. ' ' .. time[2])
  local leased = redis.pcall('PEXPIRE', KEYS[1], ARGV[3])
  if leased ~= 1 then
    -- A lock without its lease (no permission, say) would stay for ever.
    redis.call('DEL', KEYS[1])
    return leased
  end
  return '-'
end
--@include lock
local owner, lease, looks = ARGV[2], ARGV[3], tonumber(ARGV[5] or 0)
local me = mode .. ':' .. owner

if taken == 0 then
  if before ~= '0' then
    sure_of_loss('HDEL', lock)
    return 0
  end
  local note = ARGV[7] and ' lingers' or ''
  local token, failure = grant(me, lease, line and note)
  return token and (line and token .. note or '?') or failure
end

-- Whether that holder's process may have nobody inside. Each refusal tells that process, until one message reaches it.
local function lingers(holder, since)
  local noted, told = string.match(since or '', '^(.* lingers)(.*)$')
  if told == '' then
    -- Also by a call that publishes nothing itself: that process listens. In a cluster its channel has a tag.
    local command = publish == '' and (string.find(channels, '{', 1, true) and 'SPUBLISH' or 'PUBLISH') or nil
    if tell(string.match(holder, '^[^:]*'), 'asked', command) then
      redis.pcall('HSET', lock, 'since', noted .. ' told')
    end
  end
  return noted and 1 or 0
end

local function busy(left, holder, since)
  if not line then
    return { left, holder or '', server_time_us(), 1, -1, 0, since }
  end
  local first, places, refused, rests
  if looks > 0 then
    refused, places, first, rests = stand(me, left, looks, ARGV[6])
    if refused then
      return refused
    end
    first = first or (not rests and head_of_line() == me)
  else
    places, first = 0, redis.call('EXISTS', line) == 0
  end
  holder = holder or ''
  return { left, holder, server_time_us(), rests and 2 or first and 1 or 0, places, lingers(holder, since), since }
end

local holder, since, held = holder_of(lock, owner)
if held then
  local token = '-'
  if mode ~= 'x' then
    -- A counter of another type is an error before anything is changed.
    token = redis.call('GET', KEYS[4])
    if not token and before == '0' then
      -- The counter is gone, and no process knows the token: the answer to the first delivery was lost.
      local failure
      token, failure = mint(KEYS[4], string.sub(mode, 2))
      if not token then
        return failure
      end
    end
  end
  -- The lease of a grant in line suits no hold in particular: the first request of its owner sets the right one. After that nothing shortens
  -- the time left (rule L2), not even a late copy of the first request.
  local unclaimed = line and redis.call('HGET', processes, ':unclaimed') == me
  if unclaimed then
    redis.call('HDEL', processes, ':unclaimed')
  end
  -- The lease goes first: a count without one would stay for ever.
  if (unclaimed and before == '0') or redis.call('PTTL', lock) < tonumber(lease) then
    redis.call('PEXPIRE', lock, lease)
    if unclaimed then
      call_head(tonumber(lease))
    end
  end
  if held <= tonumber(before) then
    redis.call('HINCRBY', lock, owner, tonumber(before) + 1 - held)
  end
  return token or '-'
end
if before ~= '0' then
  sure_of_loss('HDEL', lock)
  return 0
end
if holder or since then
  return busy(redis.call('PTTL', lock), holder, since)
end

-- It is free, but there is a line.
suspect(client_of(me))
if looks >= 0 then
  local theirs = their_turn()
  if theirs > 0 then
    return busy(theirs)
  end
  local let_in = advance(me)
  if let_in > 0 then
    call_head()
    return busy(redis.call('PTTL', lock), holder_of(lock))
  end
end
local token, failure = grant(me, lease)
if token and leave(me) then
  call_head(tonumber(lease))
end
return token or failure
