--[[
  Gives one hold of a read-write lock back; the last one lets in whom it kept out. Also undoes an acquire whose outcome is unknown,
  and takes its member out of the line. Nobody else's hold is touched.

  KEYS[1]  the holds: a hash of member -> `<count>:<fencing token>`; a member is `r:<owner>` or `w:<owner>`
  KEYS[2]  their leases: a sorted set of members by the time each ends
  KEYS[3]  the line: a sorted set of members by ticket
  KEYS[4]  a sorted set of the members in line by the time when the place of each lapses
  KEYS[5]  the last fencing token given out
  ARGV[1]  PUBLISH, or SPUBLISH in a cluster
  ARGV[2]  how long a place lasts without being kept, in milliseconds
  ARGV[3]  member
  ARGV[4]  how many holds the member has before this release
  ARGV[5]  1: the member may stand in line, and leaves it

  Returns {code, server's time in microseconds, error of an announcement or ''}
    1  released
    0  still held by the member; its lease is left as it is (rule L2)
   -1  not held by the member (rule O5)

  Safe to repeat: it sets the count to one below ARGV[4] and never raises it (rule X1).
]]
--@include rw-line
local member, after = ARGV[3], tonumber(ARGV[4]) - 1

if ARGV[5] == '1' then
  leave_line(member)
end
local held, token = hold_of(member)
local code = -1
if held and after == 0 then
  drop(member)
  code = 1
elseif held then
  if held > after then
    -- A full server refuses even to count down. The last release does not depend on the count, so that is no reason to fail.
    redis.pcall('HSET', holds, member, string.format('%.0f:', after) .. token)
  end
  code = 0
end
advance()
return answer(code)
