--[[
  Takes permits of a semaphore of either kind, all or none, or a place in its line.

  KEYS and ARGV[1]: see parts/permits.lua
  ARGV[2]  owner, of this acquisition only
  ARGV[3]  permits
  ARGV[4]  lease in milliseconds
  ARGV[5]  0: the owner does not wait. Below: it stands outside the line, and takes permits wherever there are enough, as Redisson's clients do.
           Else it gets a place in line, and looks again by itself after so many milliseconds at the latest
  ARGV[6]  the lease that is granted in line, until the owner takes over, and the word that proves a grant: `<milliseconds>:<word>`, see
           parts/line.lua. Needed with a place

  Returns
    granted: `-`, or, as a text, the milliseconds until the semaphore expires with what was granted
    {left, '', time, first, places, 0}
         not so many are available, or others came before; `left` milliseconds until the first lease ends, or the semaphore expires (-1: neither does), at those
         microseconds of the server; first: 1 where the owner's process is to listen to what clients outside the line give back, 3 where in
         addition others look before it when that lease ends; how many places its process has in line

  Safe to repeat: an owner that has its permits gets no more (rule X1).
]]
--@include permits
local owner, permits, lease, looks = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local me = ARGV[3] .. ':' .. owner
local client = client_of(me)

local function busy(left)
  local places, refused, rests, _ = 0, nil, nil, nil
  if looks > 0 then
    refused, places, _, rests = stand(me, left, looks, ARGV[6])
    if refused then
      return refused
    end
  end
  -- Permits that come back to the line need a listener each time, and who stands in front changes with each: so all of them listen.
  return { left, '', server_time_us(), rests and 3 or looks > 0 and 1 or 0, places, 0 }
end

local waiting = redis.call('ZCARD', line) > 0
if waiting then
  claim(client)
end
local mine = members_of(owner, permits)
if #mine > 0 then
  -- The lease of a grant in line suits no hold in particular: the first request of its owner sets the right one. It shortens no other.
  local granted = now + (tonumber(string.match(ARGV[6], '^%d+')) or 0)
  for _, member in ipairs(mine) do
    if tonumber(redis.call('ZSCORE', leases, member)) <= granted then
      redis.call('ZREM', leases, '')
      redis.call('ZADD', leases, string.format('%.0f', now + lease), member)
    else
      extend_lease(leases, member, now + lease)
    end
  end
  if ended > 0 then
    pass_on(client)
  end
  return end_of_grant()
end

-- So long a call that comes may take what is too little for the first in line.
local OVERTAKEN_MS = 2000
local closed = false
if waiting then
  doubt_lapsed(client)
  if looks >= 0 then
    local theirs = their_turn()
    if theirs > 0 then
      return busy(theirs)
    end
    local stands = redis.call('ZSCORE', line, me)
    local _, refused, head, it = advance(me)
    local left = head and obstacle() or -1
    if left >= 0 then
      call_head(left, head, it)
    end
    -- A process that this node may not publish to waits until it looks by itself; no other process waits for that.
    if head and not refused then
      closed = stands or server_time_us() - redis.call('ZSCORE', line, head) > OVERTAKEN_MS * 1000
    end
  end
end
if not closed and available() >= permits then
  local failure = take(owner, permits, lease)
  if failure then
    return failure
  end
  if (waiting and leave(me)) or ended > 0 then
    pass_on(client)
  end
  return end_of_grant()
end
local answer = busy(obstacle())
if ended > 0 then
  pass_on(client)
end
return answer
