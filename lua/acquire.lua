--[[
  Takes a lock, or one more hold of it.

  KEYS[1]  the lock: a hash of owner -> hold count, with the lease as its time to live
  ARGV[1]  owner
  ARGV[2]  how many holds the owner has before this one
  ARGV[3]  lease in milliseconds

  Returns
    1               granted; the lease runs for at least ARGV[3]
    {left, holder}  held by another, whose lease has `left` milliseconds (-1: no end)
    0               the owner was to have ARGV[2] holds, but has none: it has lost the lock

  Safe to repeat: a count above ARGV[2] shows that this very request was carried out before (rule X1).
]]
local lock, owner = KEYS[1], ARGV[1]

-- Arguments stay texts where they can: numbers are turned back into texts at every call, and this is the path that counts.
if redis.call('EXISTS', lock) == 0 then
  if ARGV[2] ~= '0' then
    return 0
  end
  redis.call('HSET', lock, owner, '1')
  -- A script that fails halfway is not undone: without its lease (no permission, say) the lock would stay for ever.
  local leased = redis.pcall('PEXPIRE', lock, ARGV[3])
  if leased ~= 1 then
    redis.call('DEL', lock)
    return leased
  end
  return 1
end

local before, lease = tonumber(ARGV[2]), tonumber(ARGV[3])
local held = tonumber(redis.call('HGET', lock, owner))
if not held then
  if before > 0 then
    return 0
  end
  return { redis.call('PTTL', lock), redis.call('HKEYS', lock)[1] }
end

-- A nested hold never shortens the time left (rule L2). The lease goes first: a count without one would be a stray.
if redis.call('PTTL', lock) < lease then
  redis.call('PEXPIRE', lock, lease)
end
if held <= before then
  redis.call('HINCRBY', lock, owner, before + 1 - held)
end
return 1
