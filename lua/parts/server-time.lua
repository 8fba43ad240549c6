--[[
  What time it is on the server: the only clock that counts where several clients compare times.
  Returns functions that give whole milliseconds since 1970, and microseconds, which tell apart what happens one after the other.
]]
local function server_time_us()
  local now = redis.call('TIME')
  return now[1] * 1000000 + now[2]
end

local function server_time()
  return math.floor(server_time_us() / 1000)
end
