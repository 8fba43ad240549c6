--[[
  A lock that one owner has at a time, and its line.

  KEYS[1]  the lock: a hash of owner -> hold count, with the lease as its time to live
  KEYS[2]  the line, KEYS[3] the processes in it: see line.lua and turns.lua
  KEYS[4]  the counter of fencing tokens, where ARGV[3] is not empty
  ARGV[1]  PUBLISH, or SPUBLISH in a cluster
  ARGV[2]  prefix of the channels on which processes are told
  ARGV[3]  how long the counter is kept after a token was minted, in milliseconds, 0: for ever; empty: the lock has no tokens
  ARGV[4]  release channel
  ARGV[5]  how long grants in line go on before it is the turn of others, in milliseconds

  Returns functions.
]]
--@include token
local lock = KEYS[1]

local function client_of(owner)
  return string.match(owner, '^[^:]*')
end

local function admits()
  return redis.call('EXISTS', lock) == 0
end

local function ends_in()
  return redis.call('PTTL', lock)
end

-- Gives the lock, which is free. Returns the token, `-` where there are none; nil and the error where that is refused.
local function grant(owner, lease)
  local token = '-'
  if ARGV[3] ~= '' then
    local failure
    token, failure = mint(KEYS[4], ARGV[3])
    if not token then
      return nil, failure
    end
  end
  redis.call('HSET', lock, owner, '1')
  -- A script that fails halfway is not undone: without its lease (no permission, say) the lock would stay for ever.
  local leased = redis.pcall('PEXPIRE', lock, lease)
  if leased ~= 1 then
    redis.call('DEL', lock)
    return nil, leased
  end
  return token
end

local function withdraw()
  redis.call('DEL', lock)
end
--@include turns

-- The lock is free: the next in line gets it, or it is announced to whoever listens. 1, or -2 where this node may not announce.
local function pass_on()
  local let_in, refused = 0, nil
  if redis.call('EXISTS', line) == 1 and not leaves_it_to_others() then
    let_in, refused = advance(nil)
    if let_in > 0 then
      call_head(ends_in())
      return 1
    end
    if refused then
      call_head(0)
    end
  end
  return type(redis.pcall(ARGV[1], ARGV[4], '0')) == 'number' and 1 or -2
end
