--[[
  Takes a read-write lock from its writer, or from all its readers, whoever they are, and lets in whom they kept out.

  KEYS[1]  the holds: a hash of member -> `<count>:<fencing token>`; a member is `r:<owner>` or `w:<owner>`
  KEYS[2]  their leases: a sorted set of members by the time each ends
  KEYS[3]  the line: a sorted set of members by ticket
  KEYS[4]  a sorted set of the members in line by the time when the place of each lapses
  KEYS[5]  the last fencing token given out
  ARGV[1]  PUBLISH, or SPUBLISH in a cluster
  ARGV[2]  how long a place lasts without being kept, in milliseconds
  ARGV[3]  r: from the readers; w: from the writer

  Returns {1 where somebody held it so, else 0; server's time in microseconds; error of an announcement or ''}
]]
--@include rw-line
local code = 0
for _, member in ipairs(redis.call('HKEYS', holds)) do
  if writes(member) == (ARGV[3] == 'w') then
    drop(member)
    code = 1
  end
end
advance()
return answer(code)
