/*
  What may happen: the scripts, run by processes, and what the world does to them. The checks are in the files beside this one.
*/
module line
open scripts

/** Somebody may have the lock, and one process may stand in line behind it; others want the lock, and may be subscribed still. */
pred start {
  no Endless and no Twice and no Away and Last in Holder and Now.turn in Nobodys + OursSpent
  no Answered and no Copied and no Told and no Fresh and no GivenUp and no SitsOut and no Robbed and no Dead and no Frozen
  Believes = Holder and no Waits & Outsider & Holder
  lone Line and no precedes and Line = Asks.alias and alias in ~of and Asks in Waits & Reached - Holder.of
  Asks in Timed and Timed in Asks + Waits & Outsider and (some Timed implies some Holder) and Woken = Waits - Timed
  Listens in Asks and First = Listens and (some Line implies some Holder) and (Holder in Outsider implies Listens = Asks)
}

// ----- what processes do

pred wants[x: Process + Outsider] {
  x in live - Frozen - Waits
  Waits' = Waits + x and Woken' = Woken + x and sameTimers
  sameStore and sameReplies and Copied' = Copied and sameGrants and GivenUp' = GivenUp
  sameAsking and Believes' = Believes and sameChannels and sameHealth
}

/**
  Whoever does not hold asks, under the name it has asked by before; once it has subscribed, also without a reason: a timer of its
  ends at some time.
*/
pred acquire[a: Place] {
  let p = a.of {
    p in Waits & well & (Woken + Reached) - Believes.of and (p in Asks implies a = p.alias and a not in Answered else unused[a])
    acquireScript[a, Now.answer, p]
    Answered' = Answered + a and reply' = reply + a->Now.answer
    Asks' = Asks + p and alias' = alias ++ p->a
  }
  Copied' in Copied + a and Copied in Copied'
  GivenUp' = GivenUp and Waits' = Waits and Believes' = Believes and sameChannels and sameHealth
}

/** The same request is carried out again; nobody waits for its answer. */
pred resend[a: Place] {
  a in Copied
  acquireScript[a, Now.answer, none]
  Copied' = Copied - a
  sameReplies and GivenUp' = GivenUp and Waits' = Waits and sameAsking and Believes' = Believes and sameChannels and sameHealth
}

/** The process has the lock, and asks for nothing. More of its calls may wait behind the one that got it. */
pred takes[a: Place] {
  Believes' = Believes + a and Waits' in Waits and Waits - a.of in Waits'
  Asks' = Asks - a.of and alias' = alias - a.of->a
  First' = First - a.of
}

pred readsReply[a: Place] {
  a in Answered and a.of in well
  Answered' = Answered - a and reply' = reply - a->Reply
  sameLine and Copied' = Copied and GivenUp' = GivenUp and sameHealth and Reached' = Reached and Listens' = Listens
  a.reply = Granted implies {
    takes[a] and Holder' = Holder and Endless' = Endless - a and Twice' = Twice
    // The message of the same grant, if it comes after this, means nothing.
    Told' = Told - a and Fresh' = Fresh - a and Woken' = Woken + Waits' & a.of and sameTimers
  } else {
    sameLock and sameGrants and Waits' = Waits and sameAsking and Believes' = Believes
    First' = (a.reply = BusyFirst implies First + a.of else First - a.of)
    sameTimers and Woken' = (a.reply = TooLate implies Woken + a.of else Woken)
  }
}

/** What was granted to a place that the process has given up is given back. */
pred readsGrant[a: Place] {
  a in Told and a.of in well
  Told' = Told - a and Fresh' = Fresh - a
  sameLine and sameReplies and Copied' = Copied and sameHealth and Reached' = Reached and Listens' = Listens and sameTimers
  ((rule[Freshness] implies a in Fresh) and a in Asks.alias and a not in Answered) implies {
    takes[a] and Holder' = Holder and Endless' = Endless - a and Twice' = Twice and Woken' = Woken + Waits' & a.of and GivenUp' = GivenUp
  } else {
    sameLock and Waits' = Waits and sameAsking and Believes' = Believes and First' = First
    a in Asks.alias implies Woken' = Woken + a.of and GivenUp' = GivenUp else Woken' = Woken and GivenUp' = GivenUp + (a - Believes)
  }
}

/** Its channel is made, or made again. What happened before that is not heard: it looks once. */
pred subscribes[p: Process] {
  p in Waits & well - Reached
  // It attempts first, and subscribes when it is refused.
  p in Asks and p.alias not in Answered
  Reached' = Reached + p and Woken' = Woken + { q: p | rule[Recheck] }
  sameStore and sameReplies and Copied' = Copied and sameGrants and GivenUp' = GivenUp and sameTimers
  Waits' = Waits and sameAsking and Believes' = Believes and Listens' = Listens and First' = First and sameHealth
}

/** The first in line listens to the release channel for all; again it looks once. */
pred listens[p: Process] {
  p in First & Reached & well - Listens
  Listens' = Listens + p and Woken' = Woken + { q: p | rule[Recheck] }
  sameStore and sameReplies and Copied' = Copied and sameGrants and GivenUp' = GivenUp and sameTimers
  Waits' = Waits and sameAsking and Believes' = Believes and Reached' = Reached and First' = First and sameHealth
}

/** Its calls wait no more: whatever its last request comes to is undone by a release, which is on its way. */
pred givesUp[p: Process] {
  p in Waits & well - Believes.of
  Waits' = Waits - p and Asks' = Asks - p and alias' = alias - p->Place and First' = First - p
  GivenUp' = GivenUp + p.alias and Answered' = Answered - p.alias and reply' = reply - p.alias->Reply
  Woken' = Woken - p and Timed' = Timed - p and SitsOut' = SitsOut - p
  sameStore and Copied' = Copied and sameGrants and Believes' = Believes and Reached' = Reached and Listens' = Listens and sameHealth
}

/** The end of a section, or of a place that was given up. */
pred release[a: Place] {
  a in Believes + GivenUp and a.of in well
  releaseScript[a]
  Believes' = Believes - a and GivenUp' = GivenUp - a
  sameReplies and Copied' = Copied and Waits' = Waits and sameAsking and sameChannels and sameHealth
}

/** The next call of the same process gets the lock without its leaving the process, under another name. */
pred handOver[a, b: Place] {
  a in Believes & Holder and a.of in Waits & well - Asks and b.of = a.of and unused[b]
  handOverScript[a, b]
  Believes' = Believes - a + b and Waits' in Waits and Waits - a.of in Waits'
  sameReplies and Copied' = Copied and GivenUp' = GivenUp and sameAsking and sameChannels and sameHealth
}

/** A renewal is answered: whoever does not hold the lock learns that. */
pred renew[a: Place] {
  a in Believes and a.of in well
  Holder' = Holder and Twice' = Twice and Endless' = Endless - a
  Believes' = { b: Believes | b = a implies a in Holder }
  sameLine and sameReplies and Copied' = Copied and sameGrants and GivenUp' = GivenUp and sameWaking
  Waits' = Waits and sameAsking and sameChannels and sameHealth
}

pred forceUnlock {
  some Holder
  forceUnlockScript
  sameReplies and Copied' = Copied and GivenUp' = GivenUp and Waits' = Waits and sameAsking and Believes' = Believes
  sameChannels and sameHealth
}

// ----- what Redisson's clients do

pred tries[o: Outsider] {
  o in Waits & live - Believes
  no Holder implies redissonTakes[o] and Believes' = Believes + o and Waits' = Waits - o
  else sameStore and sameGrants and Woken' = Woken - o and Timed' = Timed + o and SitsOut' = SitsOut and Believes' = Believes and Waits' = Waits
  sameReplies and Copied' = Copied and GivenUp' = GivenUp and sameAsking and sameChannels and sameHealth
}

pred unlocks[o: Outsider] {
  o in Believes & live
  Holder = o implies redissonUnlocks else sameStore and sameGrants and sameWaking
  Believes' = Believes - o
  sameReplies and Copied' = Copied and GivenUp' = GivenUp and Waits' = Waits and sameAsking and sameChannels and sameHealth
}

// ----- what the world does

/** Its sockets are closed, and what it had in memory is gone. What the store has of it stays. */
pred crash[x: Process + Outsider] {
  x in live
  Dead' = Dead + x and Frozen' = Frozen - x
  let gone = of.x + (x & Outsider) {
    Believes' = Believes - gone and Told' = Told - gone and Fresh' = Fresh - gone and GivenUp' = GivenUp - gone
    Answered' = Answered - gone and reply' = reply - gone->Reply
  }
  Waits' = Waits - x and Woken' = Woken - x and Timed' = Timed - x and SitsOut' = SitsOut - x and Asks' = Asks - x and alias' = alias - x->Place
  Reached' = Reached - x and Listens' = Listens - x and First' = First - x
  sameStore and Copied' = Copied
}

/** It stands still, while the system keeps its sockets open: messages reach it, and wait. */
pred freeze[p: Process] {
  p in well and Frozen' = Frozen + p and Dead' = Dead
  quiet
}

pred thaw[p: Process] {
  p in Frozen and Frozen' = Frozen - p and Dead' = Dead
  quiet
}

/** Nothing changes but health. */
pred quiet {
  sameStore and sameReplies and Copied' = Copied and sameGrants and GivenUp' = GivenUp and sameWaking
  Waits' = Waits and sameAsking and Believes' = Believes and sameChannels
}

/** The connection on which it hears news breaks, with what is on it. */
pred cut[p: Process] {
  p in Reached
  Reached' = Reached - p and Listens' = Listens - p and First' = First
  Told' = Told - of.p and Fresh' = Fresh - of.p
  sameStore and sameReplies and Copied' = Copied and GivenUp' = GivenUp and sameWaking
  Waits' = Waits and sameAsking and Believes' = Believes and sameHealth
}

/** The answer does not come: the process asks again. */
pred replyLost[a: Place] {
  a in Answered
  Answered' = Answered - a and reply' = reply - a->Reply and Woken' = Woken + a.of and sameTimers
  sameStore and Copied' = Copied and sameGrants and GivenUp' = GivenUp
  Waits' = Waits and sameAsking and Believes' = Believes and sameChannels and sameHealth
}

pred copyLost[a: Place] {
  a in Copied and Copied' = Copied - a
  sameStore and sameReplies and sameGrants and GivenUp' = GivenUp and sameWaking
  Waits' = Waits and sameAsking and Believes' = Believes and sameChannels and sameHealth
}

/** The store loses the lock, or the line, or both. */
pred keyLost {
  some Holder + Line
  (lockFree or sameLock)
  (sameLine or (lineIs[none] and no Away' and no Last' and Now.turn' = Nobodys))
  sameReplies and Copied' = Copied and sameGrants and GivenUp' = GivenUp and sameWaking
  Waits' = Waits and sameAsking and Believes' = Believes and sameChannels and sameHealth
}

/** By its own clock its lease is over: counted from before it asked, this comes before the store gives the lock away. */
pred leaseOverForOwner[a: Owner] {
  a in Believes and Believes' = Believes - a
  sameStore and sameReplies and Copied' = Copied and sameGrants and GivenUp' = GivenUp and sameWaking
  Waits' = Waits and sameAsking and sameChannels and sameHealth
}

/** The holder's lease is over in the store. What tells of its grant is out of date. */
pred leaseEnds {
  some Holder - Endless - { a: Believes | rule[Clock] }
  lockFree and sameLine
  Answered' = Answered and reply' = reply ++ { a: Holder & Answered, r: TooLate | a.reply = Granted }
  Told' = Told and Fresh' = Fresh - Holder
  Woken' = Woken + Timed and no Timed' and SitsOut' = SitsOut
  Copied' = Copied and GivenUp' = GivenUp and Waits' = Waits and sameAsking and Believes' = Believes and sameChannels and sameHealth
}

/** Our time is up, or theirs; their turn is long enough for one that was woken to try. */
pred sliceEnds {
  Now.turn in Ours + Theirs and (Now.turn = Theirs implies no Woken & counted)
  Now.turn' = (Now.turn = Ours implies OursSpent else Ours)
  sameLock and Line' = Line and precedes' = precedes and Away' = Away and Last' = Last
  Now.turn = Theirs implies Woken' = Woken + SitsOut and no SitsOut' and Timed' = Timed else sameWaking
  sameReplies and Copied' = Copied and sameGrants and GivenUp' = GivenUp
  Waits' = Waits and sameAsking and Believes' = Believes and sameChannels and sameHealth
}

pred nothing { sameHealth and quiet }

/** Each action says all that changes, and what stays the same. */
pred step {
  Now.action in byPlace implies (some Now.by and Now.by in Place) and (let a = Now.by & Place {
    Now.action = Acquire implies acquire[a]
    Now.action = Resend implies resend[a]
    Now.action = ReadsReply implies readsReply[a]
    Now.action = ReadsGrant implies readsGrant[a]
    Now.action = Release implies release[a]
    Now.action = HandOver implies handOver[a, Now.next]
    Now.action = Renew implies renew[a]
    Now.action = ReplyLost implies replyLost[a]
    Now.action = CopyLost implies copyLost[a]
  })
  Now.action in byProcess implies (some Now.by and Now.by in Process) and (let p = Now.by & Process {
    Now.action = Subscribes implies subscribes[p]
    Now.action = ListensToReleases implies listens[p]
    Now.action = GivesUp implies givesUp[p]
    Now.action = Freeze implies freeze[p]
    Now.action = Thaw implies thaw[p]
    Now.action = Cut implies cut[p]
  })
  Now.action in Wants + Crash implies (some Now.by and Now.by in Process + Outsider) and (let x = Now.by & (Process + Outsider) {
    Now.action = Wants implies wants[x]
    Now.action = Crash implies crash[x]
  })
  Now.action in byOutsider implies (some Now.by and Now.by in Outsider) and (let o = Now.by & Outsider {
    Now.action = TriesAsRedisson implies tries[o]
    Now.action = UnlocksAsRedisson implies unlocks[o]
  })
  Now.action in LeaseOverForOwner implies (some Now.by and Now.by in Owner) and leaseOverForOwner[Now.by & Owner]
  Now.action in LeaseEnds + SliceEnds + ForceUnlock + KeyLost + Nothing implies no Now.by
  Now.action = LeaseEnds implies leaseEnds
  Now.action = SliceEnds implies sliceEnds
  Now.action = ForceUnlock implies forceUnlock
  Now.action = KeyLost implies keyLost
  Now.action = Nothing implies nothing
  Now.action not in Acquire + Resend implies no Now.answer
  Now.action in HandOver iff some Now.next
}

fact {
  start
  always step
  // Robbed is who held, or was told so, when the lock was taken; until it stops believing.
  always Robbed' = (Robbed + { a: Holder | Now.action in ForceUnlock + KeyLost and a not in Holder' })
    & (Believes' + Told' + { a: Answered' | a.reply' = Granted })
  Process = Place.of
}
