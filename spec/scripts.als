/*
  What the scripts in lua/ do to the store, each in one step, and whom they wake. A wake-up gives its permit at once: what comes of it
  comes later. Only a grant is a message on its way, since it may end, or be given back, meanwhile.
*/
module scripts
open state

/** The line consists of these; a new one stands at the end. */
pred lineIs[places: set Place] {
  Line' = places
  precedes' = (precedes & places->places) + (places & Line)->(places - Line)
}

/** What is kept beside the line must not end with it. */
pred turnIs[t: Turns] { Now.turn' = ((rule[TurnKept] or some Line') implies t else Nobodys) }

pred lockFree { no Holder' and no Endless' and no Twice' }
pred lockIs[a: Owner] { Holder' = a and no Endless' and no Twice' }

/** call_head: the first in line that is reached is to look when the lock ends. */
fun called[places: set Place, away: set Process]: set Process { first[(places - of.away) & of.Reached].of }

/** advance, for a lock that is free: the next in line that is reached gets it; with nobody to give it to it is announced. */
pred advance[places: set Place, away: set Process, last: set Place, news: set Process + Outsider] {
  let here = places - of.away, able = here & of.Reached,
      stuck = { p: Process | PassOver in Design.without and p in first[here].of - Reached },
      next = { a: first[able] | no stuck },
      missed = { a: here - of.Reached | rule[PassOver] and (no able or a in precedes.(first[able])) } |
    lineIs[places - next] and Away' = away + missed.of and SitsOut' = SitsOut and
    (some next implies {
      Holder' = next and no Twice' and Endless' = { a: next | not rule[Lease] }
      Last' = next and Told' = Told + next and Fresh' = Fresh + next
      Timed' = called[places - next, Away'] and Woken' = Woken + news
    } else {
      lockFree and sameGrants and Last' = last
      no Timed' and Woken' = Woken + news + listeners
    })
}

/** pass_on: one of ours has let go of the lock. */
pred passOn[places: set Place] {
  (some places and some counted and Now.turn = OursSpent and rule[Turn]) implies {
    lockFree and lineIs[places] and Away' = Away and Last' = Last - Holder and sameGrants
    turnIs[Theirs]
    no Timed' and SitsOut' = called[places, Away] and Woken' = Woken + listeners
  } else {
    advance[places, Away, Last - Holder, none]
    turnIs[no counted implies Nobodys else (some places and Now.turn = Nobodys) implies Ours else Now.turn]
  }
}

/** The asker is told that the lock is another's, and stands in line if it can be told of a grant. */
pred stands[a: Place, places: set Place, away: set Process, answer: Reply] {
  a.of in Reached implies lineIs[places + a] and Away' = away - a.of else lineIs[places] and Away' = away
  answer = (a in headAfter implies BusyFirst else Busy)
}

/** acquire: asks for the lock, or for a place; the same for the first delivery of the request and for any other. */
pred acquireScript[a: Place, answer: Reply, asker: set Process] {
  let rest = Woken - asker,
      // There is room although the one let in last has neither asked nor released: nobody took over.
      suspected = { p: Last.of - a.of | p in Line.of }, away = Away + suspected,
      ahead = (a in Line implies precedes.a else Line), here = ahead - of.away, able = here & of.Reached,
      stuck = { p: Process | PassOver in Design.without and p in first[here].of - Reached } |
  Holder = a implies {
    Holder' = Holder and no Endless' and Twice' = { b: Holder | not rule[CountOnce] }
    Line' = Line and precedes' = precedes and Away' = Away and Last' = Last - a and Now.turn' = Now.turn
    sameGrants and answer = Granted and Woken' = rest and sameTimers
  } else some Holder implies {
    sameLock and sameGrants and turnIs[Now.turn] and stands[a, Line, Away, answer]
    // It is well, whatever became of its last grant.
    Last' = (a.of in Reached implies Last - of.(a.of) else Last)
    Woken' = rest and Timed' = Timed + a.of and SitsOut' = SitsOut - a.of
  } else (some Line and (Now.turn = Theirs or some stuck)) implies {
    lockFree and sameGrants and turnIs[Now.turn] and no Last' and stands[a, Line, away, answer]
    Woken' = rest and Timed' = Timed and SitsOut' = SitsOut + a.of
  } else some able implies {
    let next = first[able], missed = { b: here - able | b in precedes.next } | {
      Holder' = next and no Twice' and Endless' = { b: next | not rule[Lease] }
      turnIs[Now.turn] and Last' = next and Told' = Told + next and Fresh' = Fresh + next
      stands[a, Line - next, away + missed.of, answer]
      Timed' = a.of + called[Line - next, Away'] and SitsOut' = SitsOut - a.of and Woken' = rest
    }
  } else {
    lockIs[a] and lineIs[Line - a] and Away' = (away + (here - able).of) - a.of and no Last' and turnIs[Now.turn] and sameGrants
    answer = Granted and Woken' = rest and SitsOut' = SitsOut - a.of
    Timed' = { p: Process | rule[CallNext] and p in called[Line - a, Away'] }
  }
}

/** release: ends the owner's hold, or its place. */
pred releaseScript[a: Place] {
  (Holder = a and some Twice) implies {
    Holder' = Holder and Endless' = Endless and no Twice' and sameLine and sameGrants and sameWaking
  } else Holder = a implies passOn[Line - a]
  else a not in Line implies sameStore and sameGrants and sameWaking
  else no Holder implies advance[Line - a, Away, Last, none] and turnIs[Now.turn]
  else {
    sameLock and lineIs[Line - a] and Away' = Away and Last' = Last and turnIs[Now.turn] and sameGrants
    // Whoever is the first now does not know that, nor when the lock ends.
    let next = { p: Process | rule[CallNext] and a in first[Line - of.Away] and p in called[Line - a, Away] } |
      Woken' = Woken + next and Timed' = Timed + next and SitsOut' = SitsOut
  }
}

/** hand-over: the lock goes from one owner of a process to another, with a lease that may end sooner. */
pred handOverScript[a, b: Place] {
  lockIs[b] and Line' = Line and precedes' = precedes and Away' = Away and Now.turn' = Now.turn and sameGrants
  Last' = Last - a
  Timed' = called[Line, Away] and SitsOut' = SitsOut and Woken' = Woken + listeners
}

/** force-unlock: whoever holds the lock holds it no more. */
pred forceUnlockScript { advance[Line, Away, none, listeners] and turnIs[Now.turn] }

pred redissonTakes[o: Outsider] { lockIs[o] and sameLine and sameGrants and Woken' = Woken - o and no Timed' and SitsOut' = SitsOut }
/** Redisson's unlock knows no line: it frees the lock and announces that. */
pred redissonUnlocks { lockFree and sameLine and sameGrants and no Timed' and SitsOut' = SitsOut and Woken' = Woken + listeners }
