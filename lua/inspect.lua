--[[
  Reads a lock.

  KEYS[1]  the lock: a hash of owner -> hold count, and of `since`, see parts/holder.lua

  Returns {left, owner, count, 'since', milliseconds}, the fields in any order: `left` is the lease's time in milliseconds, -1 without end, -2 when free.
]]
local state = redis.call('HGETALL', KEYS[1])
table.insert(state, 1, redis.call('PTTL', KEYS[1]))
return state
