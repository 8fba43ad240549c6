--[[
  Takes the first lock that is free of several of one slot.

  KEYS     the locks, in the order of preference: each a hash of owner -> hold count, and of `since`, see parts/holder.lua, with the lease as its time to live
  ARGV[1]  lease in milliseconds
  ARGV[2…] for each of KEYS, its owner to be; none of them has holds of it before this request

  Returns for each of KEYS
    1               held by its owner now; the lease runs for at least ARGV[1]. One of them at most
    {left, holder, since}
                    held by another, since then, whose lease has `left` milliseconds (-1: no end)
    0               not taken, because another of them was

  Safe to repeat: what its owner holds, it holds by this very request (rule X1).
]]
--@include server-time
--@include holder
local lease = ARGV[1]
local answers, free = {}, nil

for index, lock in ipairs(KEYS) do
  answers[index] = 0
  local holder, since = holder_of(lock)
  if not holder then
    free = free or index
  elseif redis.call('HEXISTS', lock, ARGV[index + 1]) == 1 then
    answers[index] = 1
    if redis.call('PTTL', lock) < tonumber(lease) then
      redis.call('PEXPIRE', lock, lease)
    end
    return answers
  else
    answers[index] = { redis.call('PTTL', lock), holder, since }
  end
end
if not free then
  return answers
end

redis.call('HSET', KEYS[free], ARGV[free + 1], '1', 'since', since_now())
-- A script that fails halfway is not undone: without its lease the lock would stay for ever.
local leased = redis.pcall('PEXPIRE', KEYS[free], lease)
if leased ~= 1 then
  redis.call('DEL', KEYS[free])
  return leased
end
answers[free] = 1
return answers
