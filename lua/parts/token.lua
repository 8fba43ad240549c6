--[[
  Fencing tokens: a number that grows with each tenure.

  Returns a function that mints one: a text in decimal, or nil and the error. It comes before the lock is written: a counter of another
  type, or a full server, then changes nothing.
    counter    the key of the last one given
    retention  how long the counter is kept after it, in milliseconds; '0': for ever
]]
-- A Lua number holds whole numbers up to 2^53 only, and becomes a text of 14 digits.
local EXACT = 9007199254740992

local function mint(counter, retention)
  local token = redis.pcall('INCR', counter)
  if type(token) ~= 'number' then
    if string.find(token.err, 'not an integer', 1, true) then
      return nil, redis.error_reply('WRONGTYPE The counter of fencing tokens holds no whole number')
    end
    return nil, token
  end
  local least = 1
  if retention ~= '0' then
    -- A counter that was gone starts above every earlier token, since none of those was ahead of the clock.
    local time = redis.call('TIME')
    least = time[1] * 1000000 + time[2]
  end
  if token < least then
    token = least
    redis.call('SET', counter, string.format('%.0f', token))
  end
  if retention ~= '0' then
    redis.call('PEXPIRE', counter, retention)
  else
    -- Kept for ever, even if another client limited its time: without the clock, tokens would begin at 1 again.
    redis.call('PERSIST', counter)
  end
  return token < EXACT and string.format('%.0f', token) or redis.call('GET', counter)
end
