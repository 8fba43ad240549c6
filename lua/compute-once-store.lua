--[[
  Stores a value of computeOnce if the owner still holds the lock under which it was computed: a computation that outlived the lock
  must not overwrite a newer value.

  KEYS[1]  the lock: a hash of owner -> hold count
  KEYS[2]  the value, in the same slot
  ARGV[1]  owner
  ARGV[2]  the value's text
  ARGV[3]  its time to live, in milliseconds

  Returns
    1  stored
    0  the owner does not hold the lock; nothing was changed

  Safe to repeat: it stores the same value again, or nothing if another owner has the lock.
]]
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return 0
end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
return 1
