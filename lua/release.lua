--[[
  Gives one hold back; the last one frees the lock and announces it. Also undoes an acquire whose outcome is unknown.

  KEYS[1]  the lock: a hash of owner -> hold count
  ARGV[1]  owner
  ARGV[2]  how many holds the owner has before this release
  ARGV[3]  release channel
  ARGV[4]  PUBLISH, or SPUBLISH in a cluster; empty: nobody is told

  Returns
    n >= 1  the lock is free and that was announced to n - 1 connections
    0       still held by the owner; its lease is left as it is (rule L2)
   -1       not held by the owner; nothing was changed (rule O5)
   -2       the lock is free, but this node could not announce it (no permission, or the channel lives elsewhere)

  Safe to repeat: it sets the count to one below ARGV[2] and never raises it (rule X1).
]]
local lock, owner = KEYS[1], ARGV[1]

if ARGV[2] ~= '1' then
  local held, after = tonumber(redis.call('HGET', lock, owner)), tonumber(ARGV[2]) - 1
  if not held then
    return -1
  end
  if held > after then
    -- A full server refuses even to count down. The last release does not depend on the count, so that is no reason to fail.
    redis.pcall('HINCRBY', lock, owner, after - held)
  end
  return 0
end

-- The lock is gone with its only field.
if redis.call('HDEL', lock, owner) == 0 then
  return -1
end
if ARGV[4] == '' then
  return 1
end
local told = redis.pcall(ARGV[4], ARGV[3], '0')
if type(told) == 'number' then
  return told + 1
end
return -2
