/*
  The design with one rule left out: each check must find how that goes wrong, or it would find nothing in the design either.
*/
module broken
open liveness

/** Found without any fault in the world. */
pred without[r: Rule] { Design.without = r and calm }

/** A process that has subscribed does not look again: the release that came before is never heard of. */
check withoutRecheck { without[Recheck] implies wakeful } for exactly 2 Process, exactly 2 Place, 0 Outsider, 0 Int, 6..6 steps expect 1
/** The ghost place: what cannot be reached at the head of the line is not passed over. */
check withoutPassOver { (Design.without = PassOver and fair and few) implies everyoneGetsIn } for exactly 2 Process, exactly 2 Place, 0 Outsider, 0 Int, 8..8 steps expect 1
/** A grant in line has no lease: who dies before it reads of it keeps the lock. */
check withoutLease { (Design.without = Lease and fair and few) implies everyoneGetsIn } for exactly 2 Process, exactly 2 Place, 0 Outsider, 0 Int, 8..8 steps expect 1
/** Grants go along the line for ever, and Redisson's clients never find the lock free. */
check withoutTurn { (without[Turn] and fair and racesAreFair) implies redissonGetsIn } for exactly 2 Process, exactly 2 Place, exactly 1 Outsider, 0 Int, 10..10 steps expect 1
/** Whose turn it is, is forgotten when the line is empty for a moment: as it is whenever two processes take turns. */
check withoutTurnKept { (without[TurnKept] and fair and racesAreFair) implies redissonGetsIn } for exactly 2 Process, exactly 2 Place, exactly 1 Outsider, 0 Int, 10..10 steps expect 1
/** Who becomes the first in line by another's leaving is not called, and never listens to Redisson's releases. */
check withoutCallNext { (Design.without = CallNext and few) implies watchful } for exactly 2 Process, exactly 2 Place, 1 Outsider, 0 Int, 8..8 steps expect 1
/** A request that is delivered twice counts twice: one release does not free the lock. */
check withoutCountOnce { Design.without = CountOnce implies released } for exactly 1 Process, exactly 1 Place, 0 Outsider, 0 Int, 6..6 steps expect 1
/** The store gives a lock away whose owner does not know yet that its lease is over: two believe that they have it. */
check withoutClock { Design.without = Clock implies exclusion } for exactly 2 Process, exactly 2 Place, 0 Outsider, 0 Int, 6..6 steps expect 1
/** A process that was frozen reads of a grant whose lease is over, and takes it. */
check withoutFreshness { Design.without = Freshness implies exclusion } for exactly 2 Process, exactly 2 Place, 0 Outsider, 0 Int, 7..7 steps expect 1
