--[[
  Publishes a message.
  Returns a function that gives how many connections were told, -1 where this node may not or cannot tell.
]]
local function announce(publish, channel, message)
  local told = redis.pcall(publish, channel, message)
  return type(told) == 'number' and told or -1
end
