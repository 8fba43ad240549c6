--[[
  Gives back the permits whose lease has ended.
  Returns a function that gives the permits available then (nil: none were ever set), and how many were given back.
]]
--@include whole-number
local function give_back_ended(semaphore, leases, now)
  local available = whole_number(semaphore)
  if not available then
    -- The semaphore was deleted or has expired: what was taken from it stands for nothing any more.
    redis.call('DEL', leases)
    return nil, 0
  end
  local returned = redis.call('ZCOUNT', leases, '-inf', now)
  if returned > 0 then
    -- First what frees memory: after that a full server refuses nothing.
    redis.call('ZREMRANGEBYSCORE', leases, '-inf', now)
    available = redis.call('INCRBY', semaphore, returned)
  end
  return available, returned
end
