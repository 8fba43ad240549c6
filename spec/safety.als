/*
  What must hold in every state. See docs/model.md for each property in words.
*/
module safety
open line

pred sound { no Design.without }
/** Whoever believes that it has the lock has it in the store, unless it was robbed. So no two can believe it at once. */
pred exclusion { always (Believes - Robbed in Holder and lone Believes - Robbed) }

/** A released lock is not held by the one that released it, and its place is gone. */
pred released { always all a: Owner | (Now.action = Release and Now.by = a) implies after a not in Holder + Line }

/**
  The first in line that is not passed over. While it has failed and nothing has tried to reach it, nobody listens for the line. A
  place that a late copy of a request has made is no better: its process knows nothing of it.
*/
fun head: set Place { first[Line - of.Away] }
pred headFailed { some head.of - (well & Reached) or some head - Asks.alias }

/** Something is about to happen that has the waiters look: a wake-up, an answer, a message, a subscription, a release. */
pred attended {
  some (Woken & Waits - Dead) or some Answered or some Told or some GivenUp
  or some (Waits & well - Reached - Believes.of) or some (First & Reached & well - Listens)
}
/** Nobody sleeps beside a free lock. */
pred wakeful { always ((no Holder and Now.turn != Theirs and some Waits & well) implies (attended or headFailed)) }

/** The first in line looks when the lease ends at the latest, and hears of releases by Redisson's clients. */
pred watchful {
  always all a: head - GivenUp | (not headFailed and some Holder - a and a = a.of.alias) implies (
    let looks = SitsOut + Woken + Answered.of + (First - Listens) |
      a.of in Timed + looks and (Holder in Outsider implies a.of in Listens + looks))
}
