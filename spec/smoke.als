module smoke
open line
run someHolds { no Design.without and eventually some Believes } for exactly 2 Process, exactly 2 Place, 0 Outsider, 10..10 steps expect 1
run grantedInLine { no Design.without and eventually (Now.action = ReadsGrant and some Believes' - Believes) } for exactly 2 Process, exactly 2 Place, 0 Outsider, 14..14 steps expect 1
check exclusion { no Design.without implies always lone Believes - Robbed } for exactly 2 Process, exactly 3 Place, 1 Outsider, 10..10 steps expect 0
