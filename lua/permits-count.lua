--[[
  Counts permits, those of ended leases as available.

  KEYS and ARGV[1]: see parts/permits.lua

  Returns {available, out}: 0 are available where none were ever set, less after a reduction; `out`, of how many leases.
]]
--@include permits
if ended > 0 then
  pass_on()
end
return { available(), redis.call('ZCARD', leases) }
