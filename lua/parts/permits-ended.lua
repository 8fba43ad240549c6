--[[
  Gives back permits that are out: those of some ids, and all whose lease has ended.
  Returns functions that give how many are available then, and how many were given back; nil: none were ever set.
]]
--@include whole-number
local function give_back(semaphore, leases, ids)
  local ends = {}
  for index, id in ipairs(ids) do
    ends[index] = redis.call('ZSCORE', leases, id)
    -- First what frees memory: after that a full server refuses nothing.
    redis.call('ZREM', leases, id)
  end
  local available = redis.pcall('INCRBY', semaphore, #ids)
  if type(available) ~= 'number' then
    -- Whatever fails (no permission), all is as before.
    for index, id in ipairs(ids) do
      redis.call('ZADD', leases, ends[index], id)
    end
    error(available)
  end
  return available
end

local function give_back_ended(semaphore, leases, now)
  local available = whole_number(semaphore)
  if not available then
    -- The semaphore was deleted or has expired: what was taken from it stands for nothing any more.
    redis.call('DEL', leases)
    return nil, 0
  end
  local ended = redis.call('ZRANGEBYSCORE', leases, '-inf', now)
  if #ended > 0 then
    available = give_back(semaphore, leases, ended)
  end
  return available, #ended
end
