--[[
  Gives back the permits of holders whose lease has ended.
  Returns a function that gives the permits available then (nil: none were ever set), and how many were given back.
]]
--@include whole-number
local function give_back_ended(semaphore, leases, taken, now)
  local available = whole_number(semaphore)
  if not available then
    -- The semaphore was deleted or has expired: what was taken from it stands for nothing any more.
    redis.call('DEL', leases, taken)
    return nil, 0
  end
  local ended = redis.call('ZRANGEBYSCORE', leases, '-inf', now)
  local returned = 0
  for _, owner in ipairs(ended) do
    returned = returned + tonumber(redis.call('HGET', taken, owner) or 0)
    -- First what frees memory: after that a full server refuses nothing.
    redis.call('ZREM', leases, owner)
    redis.call('HDEL', taken, owner)
  end
  if returned > 0 then
    available = redis.call('INCRBY', semaphore, returned)
  end
  return available, returned
end
