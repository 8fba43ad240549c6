--[[
  The ids of an owner's permits: 16 bytes each, made of 12 bytes that stand for the owner and a number.
  Returns functions: one gives these bytes; one gives those of the ids that are out. Without their count, 0, it goes on until the first that
  is not.
]]
local function id_prefix(owner)
  return (string.gsub(string.sub(redis.sha1hex(owner), 1, 24), '..', function(byte)
    return string.char(tonumber(byte, 16))
  end))
end

local function permits_out(leases, prefix, count)
  local ids, index = {}, 0
  while count == 0 or index < count do
    local id = prefix .. struct.pack('>I4', index)
    if redis.call('ZSCORE', leases, id) then
      ids[#ids + 1] = id
    elseif count == 0 then
      break
    end
    index = index + 1
  end
  return ids
end
