/*
  What must happen some time, provided that whoever can go on does so. See docs/model.md.
*/
module liveness
open safety

fun mayAsk: set Process { { p: Waits & well - Believes.of | p in Asks implies p.alias not in Answered else some a: of.p | unused[a] } }
fun maySubscribe: set Process { { p: Asks & Waits & well - Reached | p.alias not in Answered } }
fun mayListen: set Process { First & Reached & well - Listens }

/** A process that is well goes on: it reads what has come, asks, subscribes, and ends its sections. A client of Redisson likewise. */
pred processesGoOn {
  all p: Process {
    (eventually always p in mayAsk) implies always eventually (Now.action = Acquire and Now.by in of.p)
    (eventually always p in maySubscribe) implies always eventually (Now.action = Subscribes and Now.by = p)
    (eventually always p in mayListen) implies always eventually (Now.action = ListensToReleases and Now.by = p)
  }
  all a: Place {
    (eventually always (a in Answered and a.of in well)) implies always eventually (Now.action = ReadsReply and Now.by = a)
    (eventually always (a in Told and a.of in well)) implies always eventually (Now.action = ReadsGrant and Now.by = a)
    (eventually always (a in Believes + GivenUp and a.of in well)) implies always eventually (Now.action = Release and Now.by = a)
  }
  all o: Outsider {
    (eventually always o in Waits & live) implies always eventually (Now.action = TriesAsRedisson and Now.by = o)
    (eventually always o in Believes & live) implies always eventually (Now.action = UnlocksAsRedisson and Now.by = o)
  }
}

/** Time passes: leases end that nobody renews, and turns. */
pred timePasses {
  (eventually always some Holder - Believes - Endless) implies always eventually Now.action = LeaseEnds
  all a: Owner | (eventually always (a in Believes and a.of in Frozen)) implies always eventually (Now.action = LeaseOverForOwner and Now.by = a)
  (eventually always Now.turn in Ours + Theirs) implies always eventually Now.action = SliceEnds
}

/** A process that is well takes over within the lease it was granted, and renews it while it holds. */
pred inTime {
  always (Now.action = LeaseEnds implies not (Holder.of in well
    and Holder in Fresh + Asks.alias + GivenUp))
  always (Now.action = LeaseOverForOwner implies Now.by.of not in well)
}

/** Faults that are no end of: here the line is about those that wait, not about what they meet all the time. */
pred fewFaults { eventually always Now.action not in KeyLost + ForceUnlock + Resend + ReplyLost + CopyLost + Cut + Freeze + Thaw }

/** Where nobody stands in line, or no turn is kept, ours and Redisson's run for the lock; nobody loses such a race for ever. */
pred racesAreFair {
  all o: Outsider | (always eventually (o in Woken & Waits and no Holder)) implies always eventually (Now.action = TriesAsRedisson and Now.by = o and no Holder)
  all p: Process | (always eventually (p in mayAsk & Woken and no Holder and Now.turn != Theirs))
    implies always eventually (Now.action = Acquire and Now.by in of.p and no Holder and Now.turn != Theirs)
}

pred fair { processesGoOn and timePasses and inTime and fewFaults }

/** No process that is well waits for ever. */
pred everyoneGetsIn { all p: Process | not eventually always p in Waits & well - Believes.of }
/** No client of Redisson waits for ever. */
pred redissonGetsIn { all o: Outsider | not eventually always o in Waits & live }
