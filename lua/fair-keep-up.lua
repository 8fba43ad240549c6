--[[
  Keeps places in the line of a fair lock, and gives a lock that is free (its holder's lease has ended) to the next.
  KEYS[1]  the lock: a hash of owner -> hold count, with the lease as its time to live
  KEYS[2]  its line: a sorted set of owners by ticket
  KEYS[3]  a hash of owner -> when its place lapses, and its lease
  ARGV[1]  how long a place lasts from now, in milliseconds
  ARGV[2]  prefix of the channels on which clients are told of a grant
  ARGV[3]  PUBLISH, or SPUBLISH in a cluster
  ARGV[4]  and further: the owners that the client believes to be in line
  Returns
    {left, holder, time, gone}  the holder's lease has `left` milliseconds (-1: no end, -2: nobody holds it), at that time of the
                                server; gone 1: not all of these owners are in line, or not any more
    {…, channel, message}       the same, and this is to be told to somebody else, which this node could not
]]
--@include fair-line
local lock, line, alive = KEYS[1], KEYS[2], KEYS[3]

local now = server_time()
local function lengthened(key)
  return math.max(redis.call('PTTL', key), tonumber(ARGV[1]))
end

-- Where there is no line there are no places, and nothing is to be left behind. The time to live comes first because a full
-- server allows that, and then the rest too: places are not lost for want of memory.
if redis.call('PEXPIRE', line, lengthened(line)) == 1 then
  for index = 4, #ARGV do
    if redis.call('ZSCORE', line, ARGV[index]) then
      keep_place(alive, ARGV[index], now, ARGV[1])
    end
  end
  redis.call('PEXPIRE', alive, lengthened(alive))
end
local _, untold = grant_next(lock, line, alive, ARGV[2], ARGV[3])
local gone = 0
for index = 4, #ARGV do
  if not redis.call('ZSCORE', line, ARGV[index]) then
    gone = 1
  end
end
local reply = { redis.call('PTTL', lock), redis.call('HKEYS', lock)[1] or '', now, gone }
if untold then
  reply[5], reply[6] = untold[1], untold[2]
end
return reply
