--[[
  Writes a guarded value, or removes it, unless it was written under a greater fencing token before.

  KEYS[1]  the value: a hash of `fence` (the greatest token seen) and `value` (absent when it was removed)
  ARGV[1]  the writer's token, in decimal
  ARGV[2]  set or delete
  ARGV[3]  for set: the new value

  Returns
    1       done
    a text  refused: the greatest token seen, in decimal. Nothing was changed

  Safe to repeat: the same write under the same token leaves the same.
]]
local key, fence = KEYS[1], ARGV[1]

-- As texts: Lua numbers hold whole numbers up to 2^53 only.
local function smaller(a, b)
  return #a < #b or (#a == #b and a < b)
end

local seen = redis.call('HGET', key, 'fence')
if not seen and redis.call('EXISTS', key) == 1 then
  return redis.error_reply('WRONGTYPE The key holds a hash that is no guarded value')
end
if seen and smaller(fence, seen) then
  return seen
end
if ARGV[2] == 'set' then
  redis.call('HSET', key, 'fence', fence, 'value', ARGV[3])
else
  -- First what needs no room: a full server takes it, and then the rest of the script too.
  redis.call('HDEL', key, 'value')
  redis.call('HSET', key, 'fence', fence)
end
return 1
