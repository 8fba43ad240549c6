--[[
  What time it is on the server: the only clock that counts where several clients compare times.
  Returns functions that give the time when the script first asked: as `TIME` tells it, `<seconds> <microseconds>`; in microseconds since 1970,
  which tell apart what happens one after the other; and in whole milliseconds.
]]
local time
local function since_now()
  time = time or redis.call('TIME')
  return time[1] .. ' ' .. time[2]
end

local function server_time_us()
  time = time or redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

local function server_time()
  return math.floor(server_time_us() / 1000)
end
