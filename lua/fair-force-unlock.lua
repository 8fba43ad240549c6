--[[
  Frees a fair lock whoever holds it: the next in line gets it. Announced to all, because who held it is to hear of it too.
  KEYS[1]  the lock: a hash of owner -> hold count
  KEYS[2]  its line: a sorted set of owners by ticket
  KEYS[3]  a hash of owner -> when its place lapses, and its lease
  ARGV[1]  release channel
  ARGV[2]  PUBLISH, or SPUBLISH in a cluster
  ARGV[3]  prefix of the channels on which clients are told of a grant
  Returns
    1                   it was held
    {channel, message}  it was held, and this is to be told to others, which this node could not; perhaps more such pairs
    0                   it was free
]]
--@include fair-line
local lock, line, alive = KEYS[1], KEYS[2], KEYS[3]

-- HLEN, not EXISTS: what is no hash is no lock, and must not be deleted.
if redis.call('HLEN', lock) == 0 then
  return 0
end
redis.call('DEL', lock)
local _, untold = grant_next(lock, line, alive, ARGV[3], ARGV[2])
untold = untold or {}
local told = redis.pcall(ARGV[2], ARGV[1], '0')
if type(told) == 'table' and told.err then
  untold[#untold + 1] = ARGV[1]
  untold[#untold + 1] = '0'
end
return #untold > 0 and untold or 1
