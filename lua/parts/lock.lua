--[[
  A lock that one owner has at a time, and its line.

  KEYS[1]  the lock: a hash of owner -> hold count, and of `since`, see holder.lua; with the lease as its time to live
  KEYS[2]  the line, KEYS[3] the processes in it: see line.lua and turns.lua
  KEYS[4]  the counter of fencing tokens
           While their slot moves between nodes of a cluster they are not all at one of them: where a script is given KEYS[1] alone, it
           treats the lock as if it had no line, and announces what it frees. Those that give tokens need KEYS[4]
  ARGV[1]  `<mode> <publish> <channels> <before> <channel>`, as one text, since each argument costs the client and the server:
             mode      in which the caller takes the lock: `x`, or `f<retention>`: with a token, whose counter is then kept for so many
                       milliseconds, 0: for ever
             publish   PUBLISH, or SPUBLISH in a cluster; empty: releases are not announced
             channels  prefix of the processes' channels
             channel   release channel; with `before` before it: the roster, to which the first in line listens as well

  Returns functions.
]]
--@include loss
--@include token
--@include server-time
--@include holder
local lock = KEYS[1]
local mode, publish, channels, roster, channel = string.match(ARGV[1], '^(%S+) (%S*) (%S+) (%S+) (.*)$')
roster = roster .. channel

local function admits()
  return redis.call('EXISTS', lock) == 0
end

-- Gives the lock, which is free, to a place; `note`: what stands behind the time. Returns the token, `-` where there is none; nil and the error
-- where the server refuses.
local function grant(place, lease, note)
  local token, its_mode, owner = '-', string.match(place, '^([^:]*):(.*)$')
  if its_mode ~= 'x' then
    local failure
    token, failure = mint(KEYS[4], string.sub(its_mode, 2))
    if not token then
      return nil, failure
    end
  end
  redis.call('HSET', lock, owner, '1', 'since', since_now() .. (note or ''))
  -- Redis does not undo a script that fails halfway: without its lease (no permission, say) the lock would stay for ever.
  local leased = redis.pcall('PEXPIRE', lock, lease)
  if leased ~= 1 then
    -- Gone with its only owner, unless another one is handing it over.
    redis.call('HDEL', lock, owner, 'since')
    return nil, leased
  end
  return token
end

local function withdraw()
  redis.call('DEL', lock)
end
--@include turns

-- Whether anybody is in line, and the place let in last. Read before the lock is freed: a key of another type then fails the script with
-- nothing changed, instead of freeing a lock without telling anybody.
local function read_line()
  if line then
    return redis.call('ZCARD', line) > 0, redis.call('HGET', processes, ':last')
  end
end

-- The lock is free: gives it to the next in line, or announces that. Returns one more than the number of listeners that received it, or
-- -2 where this node may not announce.
local function pass_on(waiting)
  local let_in, refused = 0, nil
  if waiting and not leaves_it_to_others() then
    let_in, refused = advance(nil)
    if let_in > 0 then
      call_head()
      return 1
    end
    if refused then
      call_head(0)
    end
  end
  if publish == '' then
    return 1
  end
  local told = redis.pcall(publish, channel, '0')
  return type(told) == 'number' and told + 1 or -2
end
