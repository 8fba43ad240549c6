--[[
  Keeps places in the line of a read-write lock, and lets in whoever may enter because a holder or a waiter has died.

  KEYS[1]  the holds: a hash of member -> `<count>:<fencing token>`; a member is `r:<owner>` or `w:<owner>`
  KEYS[2]  their leases: a sorted set of members by the time each ends
  KEYS[3]  the line: a sorted set of members by ticket
  KEYS[4]  a sorted set of the members in line by the time when the place of each lapses
  KEYS[5]  the last fencing token given out
  ARGV[1]  PUBLISH, or SPUBLISH in a cluster
  ARGV[2]  how long a place lasts without being kept, in milliseconds
  ARGV[3]  and further: the members that the client believes to be in line

  Returns {1 where all of these are in line, else 0; server's time in microseconds; error of an announcement or ''; left}: `left` is
  how many milliseconds pass until the next could enter with nobody releasing.
]]
--@include rw-line
local stands = redis.call('PTTL', line)
if stands ~= -2 then
  -- First, because a full server allows that, and then the rest too: places are not lost for want of memory.
  redis.call('PEXPIRE', line, string.format('%.0f', math.max(stands, place_lease)))
  for index = 3, #ARGV do
    if redis.call('ZSCORE', line, ARGV[index]) then
      redis.call('ZADD', alive, now + place_lease, ARGV[index])
    end
  end
end
advance()
local code = 1
for index = 3, #ARGV do
  if not redis.call('ZSCORE', line, ARGV[index]) then
    code = 0
  end
end
local left = obstacle()
return answer(code, left)
