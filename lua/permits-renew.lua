--[[
  Starts the leases of an owner's permits anew. Never shortens the time left, and never revives what has ended.

  KEYS[1]  the semaphore: the number of permits available
  KEYS[2]  a sorted set of the ids of the permits that are out, by the time when the lease of each ends
  ARGV[1]  the first 12 bytes of the ids
  ARGV[2]  how many there are; 0: unknown
  ARGV[3]  lease in milliseconds

  Returns
    milliseconds  renewed for so long: for the lease, or until the semaphore expires
    0             none of them is out (any more), or the semaphore was deleted: what was taken from it stands for nothing then
]]
--@include server-time
--@include lease-ends
--@include permit-ids
--@include whole-number
--@include permits-end
--@include loss
local now, renewed = server_time(), 0
local lease = tonumber(ARGV[3])
local standing = whole_number(KEYS[1])
for _, id in ipairs(permits_out(KEYS[2], ARGV[1], tonumber(ARGV[2]))) do
  if not standing then
    redis.call('ZREM', KEYS[2], id)
  elseif tonumber(redis.call('ZSCORE', KEYS[2], id)) > now then
    extend_lease(KEYS[2], id, now + lease)
    renewed = math.max(lasts(KEYS[1], lease), 1)
  end
end
if renewed == 0 then
  sure_of_loss('ZREM', KEYS[2])
end
return renewed
