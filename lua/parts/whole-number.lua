--[[
  Reads a counter.
  Returns a function that gives the whole number in a key, or nil where there is no such key.
]]
local function whole_number(key)
  local text = redis.call('GET', key)
  if not text then
    return nil
  end
  if not string.match(text, '^-?%d+$') then
    -- Some other text: the server has the right error for a key of another type.
    redis.call('LLEN', key)
  end
  return tonumber(text)
end
