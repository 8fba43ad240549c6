--[[
  Who holds a lock, a hash of owner -> hold count, and since when. No owner is called `since`: that field has the time when its owner was
  given the lock, as `TIME` tells it, `<seconds> <microseconds>`, unless Redisson took it. The client does the sum: here it would take longer
  than all the rest. ` lingers` stands behind it where the owner's process may keep the lock for a while after its release: a script that refuses an
  acquire because of that owner tells its process `asked <KEYS[1]>`, and once it has heard, ` told` stands behind that.
  Returns a function that gives the owner and that text, nothing where nobody holds it; and how many holds the owner `asking` has, if any.
]]
local function holder_of(lock, asking)
  local fields, owner, since, held = redis.call('HGETALL', lock), nil, nil, nil
  for index = 1, #fields, 2 do
    if fields[index] == 'since' then
      since = fields[index + 1]
    else
      owner = owner or fields[index]
      held = fields[index] == asking and tonumber(fields[index + 1]) or held
    end
  end
  return owner, since, held
end
