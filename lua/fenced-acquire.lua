--[[
  Takes a fenced lock, or one more hold of it, or has it handed over; each new tenure mints a token.

  KEYS[1]  the lock: a hash of owner -> hold count, with the lease as its time to live
  KEYS[2]  the counter of tokens: the last one given
  ARGV[1]  owner
  ARGV[2]  how many holds the owner has before this one
  ARGV[3]  lease in milliseconds
  ARGV[4]  how long the counter is kept after a token was minted, in milliseconds; 0: for ever
  ARGV[5]  the owner of the same process who hands the lock over; empty: nobody does
  ARGV[6]  release channel: a lease that ends sooner after a hand-over is announced, so that whoever sleeps until its end looks again
  ARGV[7]  PUBLISH, or SPUBLISH in a cluster; empty: nothing is announced

  Returns
    a text          granted; the tenure's token in decimal, empty for a nested hold if the counter has gone meanwhile. The
                    lease runs for at least ARGV[3], after a hand-over for exactly that
    {left, holder}  held by another, whose lease has `left` milliseconds (-1: no end)
    0               the owner was to have ARGV[2] holds, or the other the lock to hand over, and has not

  Safe to repeat: a count above ARGV[2] shows that this very request was carried out before, and the counter cannot have moved
  since (rule X1).
]]
--@include announce
local lock, counter, owner, lease, retention = KEYS[1], KEYS[2], ARGV[1], ARGV[3], ARGV[4]

-- A Lua number holds whole numbers up to 2^53 only, and becomes a text of 14 digits.
local EXACT = 9007199254740992

-- Comes before the lock is written: a counter of another type, or a full server, then changes nothing.
local function mint()
  local token = redis.pcall('INCR', counter)
  if type(token) ~= 'number' then
    if string.find(token.err, 'not an integer', 1, true) then
      return nil, redis.error_reply('WRONGTYPE The counter of fencing tokens holds no whole number')
    end
    return nil, token
  end
  local least = 1
  if retention ~= '0' then
    -- A counter that was gone starts above all it ever gave, since none of those was ahead of the clock.
    local now = redis.call('TIME')
    least = now[1] * 1000000 + now[2]
  end
  if token < least then
    token = least
    redis.call('SET', counter, string.format('%.0f', token))
  end
  if retention ~= '0' then
    redis.call('PEXPIRE', counter, retention)
  else
    -- Kept for ever, whatever anybody did to it: those who only count up would begin at 1 again.
    redis.call('PERSIST', counter)
  end
  return token < EXACT and string.format('%.0f', token) or redis.call('GET', counter)
end

local function start()
  local token, failure = mint()
  if not token then
    return failure
  end
  local left = redis.call('PTTL', lock)
  redis.call('HSET', lock, owner, '1')
  -- A script that fails halfway is not undone: without its lease (no permission, say) the lock would stay for ever.
  local leased = redis.pcall('PEXPIRE', lock, lease)
  if leased ~= 1 then
    redis.call('HDEL', lock, owner)
    return leased
  end
  if ARGV[5] ~= '' then
    redis.call('HDEL', lock, ARGV[5])
    if ARGV[7] ~= '' and (left < 0 or left > tonumber(lease)) then
      announce(ARGV[7], ARGV[6], '0')
    end
  end
  return token
end

if redis.call('EXISTS', lock) == 0 then
  if ARGV[2] ~= '0' or ARGV[5] ~= '' then
    return 0
  end
  return start()
end

local before, held = tonumber(ARGV[2]), tonumber(redis.call('HGET', lock, owner))
if held then
  -- A counter of another type is an error before anything is changed.
  local token, failure = redis.call('GET', counter)
  if not token and before == 0 then
    -- The counter is gone, and nobody has heard of the token yet: the answer to the first delivery was lost.
    token, failure = mint()
    if not token then
      return failure
    end
  end
  -- A nested hold never shortens the time left (rule L2). The lease goes first: a count without one would be a stray.
  if redis.call('PTTL', lock) < tonumber(lease) then
    redis.call('PEXPIRE', lock, lease)
  end
  if held <= before then
    redis.call('HINCRBY', lock, owner, before + 1 - held)
  end
  return token or ''
end
if ARGV[5] ~= '' and redis.call('HEXISTS', lock, ARGV[5]) == 1 then
  return start()
end
if before > 0 or ARGV[5] ~= '' then
  return 0
end
return { redis.call('PTTL', lock), redis.call('HKEYS', lock)[1] }
