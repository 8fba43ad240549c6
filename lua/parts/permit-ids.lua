--[[
  The ids of an owner's permits: 16 bytes each, made of the owner's 12 bytes and a number.
  Returns a function that gives those of them that are out. Without their count it goes on until the first that is not.
]]
local function permits_out(leases, owner, count)
  local ids, index = {}, 0
  while count == 0 or index < count do
    local id = owner .. struct.pack('>I4', index)
    if redis.call('ZSCORE', leases, id) then
      ids[#ids + 1] = id
    elseif count == 0 then
      break
    end
    index = index + 1
  end
  return ids
end
