--[[
  What was taken from a number of permits ends with the number, where that has an end.
  Returns a function: how long a lease lasts for its holder that has so many milliseconds left; -1: it never ends.
]]
local function lasts(semaphore, lease)
  local left = redis.call('PTTL', semaphore)
  return left >= 0 and (lease < 0 or left < lease) and left or lease
end
