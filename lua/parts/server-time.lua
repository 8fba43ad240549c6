--[[
  What time it is on the server: the only clock that counts where several clients compare times.
  Returns a function that gives milliseconds since 1970, whole ones.
]]
local function server_time()
  local now = redis.call('TIME')
  return now[1] * 1000 + math.floor(now[2] / 1000)
end
