--[[
  Frees a lock whatever its owner: the next in line gets it. Announces it in any case, so that the former holder learns of it too.

  KEYS and ARGV[1]: see parts/lock.lua

  Returns 1 where it was held, 0 where it was free, -2 where it was held and this node could not announce it.
]]
--@include lock
-- HLEN, not EXISTS: what is no hash is no lock, and must not be deleted.
if redis.call('HLEN', lock) == 0 then
  return 0
end
local waiting, last = read_line()
-- The holder's process checks whether it still has the lock.
local owner = holder_of(lock)
if owner then
  local place = mode .. ':' .. owner
  tell(client_of(place), '0 0 ' .. place)
end
redis.call('DEL', lock)
if last then
  redis.call('HDEL', processes, ':last', ':unclaimed')
end
if waiting and advance(nil) > 0 then
  call_head()
end
return (publish == '' or type(redis.pcall(publish, channel, '0')) == 'number') and 1 or -2
