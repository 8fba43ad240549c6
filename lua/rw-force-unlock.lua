--[[
  Takes a read-write lock from its writer, or from all its readers, and grants it to the places that they kept out.

  KEYS and ARGV[1…2]: see parts/rw-lock.lua
  ARGV[3]  r: from the readers; w: from the writer

  Returns 1 where it was held so, 0 where it was not, 2 where it was and this node may not publish to the next in line.
]]
--@include rw-lock
doubt_lapsed()
local code = 0
for _, member in ipairs(redis.call('HKEYS', holds)) do
  if writes(member) == (ARGV[3] == 'w') then
    drop(member)
    code = 1
  end
end
local refused = move_on()
return code == 1 and refused == 'untold' and 2 or code
