/*
  What must happen some time, provided that whoever can go on does so. See docs/model.md.
*/
module liveness
open safety

fun mayAsk: set Process { { p: Waits & well & (Woken + Reached) - Believes.of | p in Asks implies p.alias not in Answered else some a: of.p | unused[a] } }
fun maySubscribe: set Process { { p: Asks & Waits & well - Reached | p.alias not in Answered } }
fun mayListen: set Process { First & Reached & well - Listens }

/** Always some time later: it cannot, or it does. So nobody that can go on stands still for ever. */
pred processesGoOn {
  all p: Process {
    always eventually (p not in mayAsk or (Now.action = Acquire and Now.by in of.p))
    always eventually (p not in maySubscribe or (Now.action = Subscribes and Now.by = p))
    always eventually (p not in mayListen or (Now.action = ListensToReleases and Now.by = p))
  }
  all a: Place {
    always eventually (a not in Answered & of.well or (Now.action = ReadsReply and Now.by = a))
    always eventually (a not in Told & of.well or (Now.action = ReadsGrant and Now.by = a))
    always eventually (a not in (Believes + GivenUp) & of.well or (Now.action = Release and Now.by = a))
  }
  all o: Outsider {
    always eventually (o not in Waits & live or (Now.action = TriesAsRedisson and Now.by = o))
    always eventually (o not in Believes & live or (Now.action = UnlocksAsRedisson and Now.by = o))
  }
}

/** Time passes: leases that nobody renews end, and so do turns. */
pred timePasses {
  always eventually (no Holder - Believes - Endless or Now.action = LeaseEnds)
  all a: Place | always eventually (a not in Believes & of.Frozen or (Now.action = LeaseOverForOwner and Now.by = a))
  always eventually (Now.turn not in Ours + Theirs or Now.action = SliceEnds)
}

/** A process that is well takes over within the lease it was granted, and renews it while it holds. */
pred inTime {
  always (Now.action = LeaseEnds implies not (Holder.of in well
    and Holder in Fresh + Asks.alias + GivenUp))
  always (Now.action = LeaseOverForOwner implies Now.by.of not in well)
}

/** Faults that are no end of: here the line is about those that wait, not about what they meet all the time. */
pred fewFaults { eventually always Now.action not in KeyLost + ForceUnlock + Resend + ReplyLost + CopyLost + Cut + Freeze + Thaw }

/** A release that finds nobody in line is announced, and whoever is quicker has the lock: a client of Redisson is so some time. */
pred racesAreFair {
  all o: Outsider | (always eventually (o in Woken & Waits and no Holder)) implies always eventually (Now.action = TriesAsRedisson and Now.by = o and no Holder)
}

pred fair { processesGoOn and timePasses and inTime and fewFaults }

/** No process that is well waits for ever. */
pred everyoneGetsIn { all p: Process | not eventually always p in Waits & well - Believes.of }
/** No client of Redisson waits for ever. */
pred redissonGetsIn { all o: Outsider | not eventually always o in Waits & live }

/** Histories without what the world does to processes and messages, and with fewer ways to wait: smaller, so longer ones can be checked. */
pred calm {
  always (Now.action in Acquire + ReadsReply + ReadsGrant + Release + Wants + Subscribes + ListensToReleases + TriesAsRedisson
    + UnlocksAsRedisson + SliceEnds + Nothing and no Copied)
}
/**
  With the faults that a line is there for: a process dies, stands still or loses its channel. A copy of a request that comes late
  may take the lock, or a place, for somebody that does not know; that is over when its lease, or a timer, ends.
*/
pred few { always (Now.action not in KeyLost + ForceUnlock + Resend + ReplyLost + CopyLost + Renew + HandOver and no Copied) }
/** Every process has more calls that wait, all the time, and is subscribed. */
pred crowded { always Process in Waits & Reached }
