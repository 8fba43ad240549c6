--[[
  Keeps a client's places in the line of a fair lock, and gives a lock that is free (its holder's lease has ended) to the next.
  KEYS[1]  the lock: a hash of owner -> hold count, with the lease as its time to live
  KEYS[2]  its line: a sorted set of owners by ticket
  KEYS[3]  a hash of client -> when its places lapse, and their lease
  ARGV[1]  client
  ARGV[2]  how long its places last from now, in milliseconds
  ARGV[3]  prefix of the channels on which clients are told of a grant
  ARGV[4]  PUBLISH, or SPUBLISH in a cluster
  Returns
    {left, holder, time, lapsed}  the holder's lease has `left` milliseconds (-1: no end, -2: nobody holds it), at that time of the
                                  server; lapsed 1: the client's places may be gone
    {…, channel, message}         the same, and this is to be told to somebody else, which this node could not
]]
--@include fair-line
local lock, line, alive, client = KEYS[1], KEYS[2], KEYS[3], ARGV[1]

local now = server_time()
local kept = place_lease(alive, client, now)
local function lengthened(key)
  return math.max(redis.call('PTTL', key), tonumber(ARGV[2]))
end

-- Where there is no line there are no places, and nothing is to be left behind. The time to live comes first because a full
-- server allows that, and then the rest too: places are not lost for want of memory.
if redis.call('PEXPIRE', line, lengthened(line)) == 1 then
  keep_places(alive, client, now, ARGV[2])
  redis.call('PEXPIRE', alive, lengthened(alive))
end
local _, untold = grant_next(lock, line, alive, ARGV[3], ARGV[4])
local reply = {
  redis.call('PTTL', lock),
  redis.call('HKEYS', lock)[1] or '',
  now,
  kept and 0 or 1,
}
if untold then
  reply[5], reply[6] = untold[1], untold[2]
end
return reply
