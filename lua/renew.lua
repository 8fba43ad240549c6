--[[
  Starts a lease anew. Never creates a lock, and never shortens the time left.

  KEYS[1]  the lock: a hash of owner -> hold count
  ARGV[1]  owner
  ARGV[2]  lease in milliseconds

  Returns
    1  renewed
    0  not held by the owner
]]
--@include loss
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  sure_of_loss('HDEL', KEYS[1])
  return 0
end
-- Always a write: who waits for replicas hears of the connection's last one.
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.max(redis.call('PTTL', KEYS[1]), tonumber(ARGV[2]))))
return 1
