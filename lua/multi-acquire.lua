--[[
  Takes several locks of one slot: all of them, or none.

  KEYS     the locks: each a hash of owner -> hold count, and of `since`, see parts/holder.lua, with the lease as its time to live
  ARGV[1]  lease in milliseconds
  ARGV[2…] for each of KEYS, its owner to be; none of them has holds of it before this request

  Returns for each of KEYS
    1               held by its owner now; the lease runs for at least ARGV[1]
    {left, holder, since}
                    held by another, since then, whose lease has `left` milliseconds (-1: no end)
    0               free, and not taken because another of them is held

  Safe to repeat: what its owner holds, it holds by this very request (rule X1). Where a part of that has ended meanwhile, the
  rest is answered with 1, so that the caller gives it back.
]]
--@include server-time
--@include holder
local lease = ARGV[1]
local answers, taken, busy = {}, {}, false

-- Looks at all before it writes: a key of another type fails here, with nothing changed.
for index, lock in ipairs(KEYS) do
  local holder, since = holder_of(lock)
  if not holder then
    answers[index] = 0
  elseif redis.call('HEXISTS', lock, ARGV[index + 1]) == 1 then
    answers[index] = 1
  else
    answers[index] = { redis.call('PTTL', lock), holder, since }
    busy = true
  end
end
if busy then
  return answers
end

local now = since_now()
for index, lock in ipairs(KEYS) do
  if answers[index] == 0 then
    -- A script that fails halfway is not undone: whatever it has taken until then is given back.
    local held = redis.pcall('HSET', lock, ARGV[index + 1], '1', 'since', now)
    local leased = type(held) == 'number' and redis.pcall('PEXPIRE', lock, lease) or held
    if type(held) == 'number' then
      taken[#taken + 1] = lock
    end
    if leased ~= 1 then
      for _, each in ipairs(taken) do
        redis.call('DEL', each)
      end
      return leased
    end
    answers[index] = 1
  elseif redis.call('PTTL', lock) < tonumber(lease) then
    redis.call('PEXPIRE', lock, lease)
  end
end
return answers
