/*
  The design as it is: no check has a counterexample, and the examples show that the model moves. `for` says how many there are of each,
  and how long a history may be, its loop included.
*/
module checks
open liveness

check exclusionHolds { sound implies exclusion } for exactly 2 Process, exactly 3 Place, 1 Outsider, 0 Int, 8..8 steps expect 0
check releasedMeansReleased { sound implies released } for exactly 2 Process, exactly 2 Place, 1 Outsider, 0 Int, 8..8 steps expect 0
check nobodySleepsBesideAFreeLock { (sound and few) implies wakeful } for exactly 2 Process, exactly 2 Place, 1 Outsider, 0 Int, 8..8 steps expect 0
check theFirstInLineWatches { (sound and few) implies watchful } for exactly 2 Process, exactly 3 Place, 1 Outsider, 0 Int, 8..8 steps expect 0
check nobodyWaitsForEver { (sound and fair and few) implies everyoneGetsIn } for exactly 2 Process, exactly 2 Place, 0 Outsider, 0 Int, 8..8 steps expect 0
check nobodyIsPassedOver { (sound and fair and calm and crowded) implies everyoneGetsIn } for exactly 3 Process, exactly 3 Place, 0 Outsider, 0 Int, 10..10 steps expect 0
check redissonGetsItsTurn { (sound and fair and racesAreFair and calm) implies redissonGetsIn } for exactly 2 Process, exactly 2 Place, exactly 1 Outsider, 0 Int, 10..10 steps expect 0

/** What is not promised: a client of Redisson that takes the lock again within a round trip can win each race against the first in line. */
check limitOursCanLoseEveryRace { (sound and fair and calm) implies everyoneGetsIn } for exactly 1 Process, exactly 1 Place, exactly 1 Outsider, 0 Int, 8..8 steps expect 1

run takenWhenFree { sound and eventually (Now.action = ReadsReply and some Believes' - Believes) } for exactly 1 Process, exactly 1 Place, 0 Outsider, 0 Int, 6..6 steps expect 1
run grantedInLine { sound and calm and eventually (Now.action = ReadsGrant and some Believes' - Believes) } for exactly 2 Process, exactly 2 Place, 0 Outsider, 0 Int, 8..8 steps expect 1
run handedOver { sound and eventually Now.action = HandOver } for exactly 1 Process, exactly 2 Place, 0 Outsider, 0 Int, 6..6 steps expect 1
run passedOver { sound and some p: Process | eventually (p in Away and eventually (p not in Away and eventually p in Believes.of)) } for exactly 2 Process, exactly 2 Place, 0 Outsider, 0 Int, 11..11 steps expect 1
run redissonInItsTurn { sound and calm and eventually (Now.turn = Theirs and Now.action = TriesAsRedisson and no Holder) } for exactly 2 Process, exactly 2 Place, exactly 1 Outsider, 0 Int, 8..8 steps expect 1
run everyoneInTurn { sound and calm and fair and all p: Process | always eventually p in Believes.of } for exactly 2 Process, exactly 2 Place, 0 Outsider, 0 Int, 9..9 steps expect 1
