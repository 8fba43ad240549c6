--[[
  Reads the edges beside a lock, and removes those whose time is up: their processes have ended without a word.

  KEYS[1]  the edges of the lock, as in edge-leave.lua
  ARGV[1]  how many to return at the most
  ARGV[2]  the id of the only one that is wanted; empty: all are

  Returns {since, edge, since, edge, …}.
]]
--@include server-time

local edges, most, id = KEYS[1], tonumber(ARGV[1]), ARGV[2]
local now = server_time()
local found = {}
local fields = id == '' and redis.call('HGETALL', edges) or { id, redis.call('HGET', edges, id) or '' }
for at = 1, #fields, 2 do
  local since, till, edge = string.match(fields[at + 1], '^(%d+) (%d+) (.*)$')
  if not since or tonumber(till) <= now then
    redis.call('HDEL', edges, fields[at])
  elseif #found < 2 * most then
    found[#found + 1] = since
    found[#found + 1] = edge
  end
end
return found
