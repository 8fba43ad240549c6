--[[
  Publishes a message.
  Returns a function that gives how many connections received it, -1 where this node may not or cannot publish.
]]
local function announce(publish, channel, message)
  local told = redis.pcall(publish, channel, message)
  return type(told) == 'number' and told or -1
end
