--[[
  Gives back the permits of one holder, and of all whose lease has ended.
  Returns functions that give the permits available then (nil: none were ever set), and how many were given back.
]]
--@include whole-number
local function give_back(semaphore, leases, taken, owner)
  local permits = tonumber(redis.call('HGET', taken, owner) or 0)
  local ends = redis.call('ZSCORE', leases, owner)
  -- First what frees memory: after that a full server refuses nothing. Whatever else fails (no permission), all is as before.
  redis.call('ZREM', leases, owner)
  local done = redis.pcall('HDEL', taken, owner)
  if type(done) == 'number' and permits > 0 then
    done = redis.pcall('INCRBY', semaphore, permits)
  end
  if type(done) ~= 'number' then
    redis.call('HSET', taken, owner, permits)
    if ends then
      redis.call('ZADD', leases, ends, owner)
    end
    error(done)
  end
  return permits
end

local function give_back_ended(semaphore, leases, taken, now)
  local available = whole_number(semaphore)
  if not available then
    -- The semaphore was deleted or has expired: what was taken from it stands for nothing any more.
    redis.call('DEL', leases, taken)
    return nil, 0
  end
  local returned = 0
  for _, owner in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now)) do
    returned = returned + give_back(semaphore, leases, taken, owner)
  end
  return available + returned, returned
end
