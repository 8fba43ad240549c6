--[[
  Frees a lock whoever holds it, and announces it.

  KEYS[1]  the lock: a hash of owner -> hold count
  ARGV[1]  release channel
  ARGV[2]  PUBLISH, or SPUBLISH in a cluster; empty: nobody is told

  Returns
    1  the lock is free now and that was announced
    2  the lock is free now, but this node could not announce it
    0  it was free
]]
-- HLEN, not EXISTS: what is no hash is no lock, and must not be deleted.
if redis.call('HLEN', KEYS[1]) == 0 then
  return 0
end
redis.call('DEL', KEYS[1])
if ARGV[2] == '' then
  return 1
end
local told = redis.pcall(ARGV[2], ARGV[1], '0')
if type(told) == 'table' and told.err then
  return 2
end
return 1
