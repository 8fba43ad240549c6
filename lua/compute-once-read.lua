--[[
  Reads a value that was computed once, with the time it is kept yet.

  KEYS[1]  the value

  Returns
    {text, left}  `left` milliseconds (-1: no end)
    nil           there is none
]]
local text = redis.call('GET', KEYS[1])
return text and { text, redis.call('PTTL', KEYS[1]) }
