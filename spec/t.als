module t
open safety
check exclusionHolds { sound implies exclusion } for exactly 2 Process, exactly 3 Place, 1 Outsider, 0 Int, 10..10 steps expect 0
check releasedIsReleased { sound implies released } for exactly 2 Process, exactly 2 Place, 0 Outsider, 0 Int, 8..8 steps expect 0
check nobodySleeps { (sound and nothingLost and nothingLate) implies wakeful } for exactly 2 Process, exactly 3 Place, 1 Outsider, 0 Int, 12..12 steps expect 0
check firstWatches { (sound and nothingLost and nothingLate) implies watchful } for exactly 3 Process, exactly 3 Place, 1 Outsider, 0 Int, 12..12 steps expect 0
