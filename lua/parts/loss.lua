--[[
  Returns a function that a script calls before it answers that an owner holds nothing. A primary that was demoted, and lags behind the new
  one, would say so of what is held there. It refuses every write, also this one, which changes nothing: no member has no name.
  `remove` is HDEL for a hash, ZREM for a sorted set.
]]
local function sure_of_loss(remove, key)
  redis.call(remove, key, '')
end
