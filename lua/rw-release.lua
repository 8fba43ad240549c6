--[[
  Gives one hold of a read-write lock back; the last one grants the lock to the places that it kept out. Also undoes an acquire whose
  outcome is unknown, and takes its member out of the line. Touches no other member's hold.

  KEYS and ARGV[1…2]: see parts/rw-lock.lua
  ARGV[3]  r or w
  ARGV[4]  owner
  ARGV[5]  how many holds the member has before this release
  ARGV[6]  1: the member may stand in line, and leaves it; 2: it leaves, and gives back only what was granted to its place there

  Returns
    1  released
    0  still held by the member; its lease is left as it is (rule L2)
   -1  not held by the member (rule O5)
   -2  released, but this node may not publish to the next in line

  Safe to repeat: it sets the count to one below ARGV[5] and never raises it (rule X1).
]]
--@include rw-lock
local me, after = ARGV[3] .. ':' .. ARGV[4], tonumber(ARGV[5]) - 1
doubt_lapsed(client_of(me))

if ARGV[6] ~= '0' then
  leave(me)
end
local held, token, since = hold_of(me)
if ARGV[6] == '2' and held ~= 0 then
  held = nil
end
local code = -1
if held and after == 0 then
  drop(me)
  code = 1
elseif held then
  if held > after then
    -- A full server refuses even to count down. The last release does not depend on the count, so that is no reason to fail.
    redis.pcall('HSET', holds, me, hold_text(after, token, since))
  end
  code = 0
else
  sure_of_loss('HDEL', holds)
end
local refused = move_on()
return code == 1 and refused == 'untold' and -2 or code
