--[[
  Gives one hold of a fair lock back; the last one gives the lock to the next in line, or announces that it is free. Also undoes
  an acquire whose outcome is unknown, and takes its owner out of the line.
  KEYS[1]  the lock: a hash of owner -> hold count
  KEYS[2]  its line: a sorted set of owners by ticket
  KEYS[3]  a hash of owner -> when its place lapses, and its lease
  ARGV[1]  owner
  ARGV[2]  how many holds the owner has before this release
  ARGV[3]  release channel, for when nobody is in line
  ARGV[4]  PUBLISH, or SPUBLISH in a cluster
  ARGV[5]  prefix of the channels on which clients are told of a grant
  ARGV[6]  1: the owner may stand in line, and leaves it
  Returns
    1                   released
    {channel, message}  released, and this is to be told to others, which this node could not
    0                   still held by the owner; its lease is left as it is (rule L2)
   -1                   not held by the owner (rule O5)
  Safe to repeat: it sets the count to one below ARGV[2] and never raises it (rule X1).
]]
--@include fair-line
local lock, line, alive, owner = KEYS[1], KEYS[2], KEYS[3], ARGV[1]

if ARGV[2] ~= '1' then
  local held, after = tonumber(redis.call('HGET', lock, owner)), tonumber(ARGV[2]) - 1
  if not held then
    return -1
  end
  if held > after then
    -- A full server refuses even to count down. The last release does not depend on the count, so that is no reason to fail.
    redis.pcall('HINCRBY', lock, owner, after - held)
  end
  return 0
end

local left = ARGV[6] == '1' and leave_line(line, alive, owner) or 0
-- The lock is gone with its only field.
local released = redis.call('HDEL', lock, owner)
if released == 0 and left == 0 then
  return -1
end
local next, untold = grant_next(lock, line, alive, ARGV[5], ARGV[4])
if released == 0 then
  return untold or -1
end
if not next then
  local told = redis.pcall(ARGV[4], ARGV[3], '0')
  if type(told) == 'table' and told.err then
    return { ARGV[3], '0' }
  end
end
return untold or 1
