--[[
  Keeps a value that was computed under a lock, if that lock is still held: who computed too long does not overwrite.

  KEYS[1]  the lock: a hash of owner -> hold count
  KEYS[2]  the value, of the same slot
  ARGV[1]  owner
  ARGV[2]  the value's text
  ARGV[3]  for how long to keep it, in milliseconds

  Returns
    1  kept
    0  the owner does not hold the lock; nothing was changed

  Safe to repeat: it keeps the same once more, and nothing once the lock is another's.
]]
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return 0
end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
return 1
