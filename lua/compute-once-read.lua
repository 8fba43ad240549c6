--[[
  Reads a value of computeOnce and its time left.

  KEYS[1]  the value

  Returns
    {text, left}  `left` in milliseconds (-1: no end)
    nil           there is no value
]]
local text = redis.call('GET', KEYS[1])
return text and { text, redis.call('PTTL', KEYS[1]) }
