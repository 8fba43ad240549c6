--[[
  Reads what tells whether a sequencer is good: whether an owner holds a fenced lock, and the last token given.

  KEYS[1]  the lock: a hash of owner -> hold count
  KEYS[2]  the counter of tokens: the last one given
  ARGV[1]  owner

  Returns {1 if the owner holds it else 0, token}: `token` is a text in decimal, empty if none was given or the counter is gone.
]]
return { redis.call('HEXISTS', KEYS[1], ARGV[1]), redis.call('GET', KEYS[2]) or '' }
