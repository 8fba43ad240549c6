--[[
  Leaves an edge beside a lock: that an owner waits for it while it holds others. Or leaves it again.

  KEYS[1]  the edges of the lock: a hash of id -> `<since> <until> <edge>`, both in milliseconds by the server's clock
  ARGV[1]  the edge's id
  ARGV[2]  how long the owner has waited already, in milliseconds
  ARGV[3]  how long the edge stays unless it is left again, in milliseconds
  ARGV[4]  the edge, as JSON, which only clients read

  Returns 1.

  Safe to repeat: since when the owner waits is kept from the first time.
]]
--@include server-time

local edges, id, life = KEYS[1], ARGV[1], tonumber(ARGV[3])
local now = server_time()
local before = redis.call('HGET', edges, id)
local since = before and string.match(before, '^%d+') or string.format('%.0f', now - ARGV[2])

redis.call('HSET', edges, id, since .. ' ' .. string.format('%.0f', now + life) .. ' ' .. ARGV[4])
if redis.call('PTTL', edges) < life then
  redis.call('PEXPIRE', edges, life)
end
return 1
