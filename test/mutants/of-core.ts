/** Broken versions of the core, beside those that chaos hunts. */
export const ofCore = `
src/core/acquire/decide.ts
doubt-ignored: a lock that was forced open is believed to be held here
- return me.now >= me.doubtsFrom ? { do: 'verify' } : { do: 'learn', from: 'tenure' }
+ return { do: 'learn', from: 'tenure' }
siblings-together: a call re-enters beside its sibling
- if (tenureHere === 'siblings') return undefined
+ if (tenureHere === 'siblings') return { do: 'reenter' }
outage-found-out-again: each call that waits finds the outage out for itself
- if (me.outOfPatience && me.waits) return { do: 'fail' }
hog: a process asks at once for the lock that it has just released
- return now < backUntil && backUntil < deadline
+ return now < backUntil && backUntil < now
time-over-unnoticed: a call whose time is over waits on
- if (me.once || me.now >= me.deadline) return { do: 'refuse' }
+ if (me.once) return { do: 'refuse' }
src/port/lease.ts
no-margin: the holder gives its lease up when the store does, and not before
- return beforeSendMs + leaseMs - (leaseMs * 0.01 + 2)
+ return beforeSendMs + leaseMs
src/core/tenure/tenures.ts
grant-after-its-lease: a grant is taken although its lease is over
- if (now >= tenure.deadline) return false
+ if (now >= Infinity) return false
release-forgotten: the next acquisition of an owner overtakes its release that is under way
- if (tenure.releasing) this.services.orphans.follow(tenure, tenure.releasing.work)
disproof-ignored: a tenure is believed although the store gave its lock to another owner
- if (believed.state === 'held') this.lose(believed)
unknown-release-left: a release whose outcome is unknown is left at that
- void this.services.orphans.begin(request, refused ? CARRIED_OUT : Promise.reject(error))
+ void [request, refused, CARRIED_OUT, error]
src/core/tenure/release.ts
loss-at-release-untold: a release that finds the lock gone says that all was well
- if (reply === 'not-owner') throw lost(env, tenure, grant)
repeat-as-first: a release that is sent again does not say so
- () => sendOnce(true),
+ () => sendOnce(false),
src/core/tenure/tenure.ts
never-spent: a process hands the lock from call to call for as long as it likes
- this.handOvers >= most.maxHandOvers ||
+ this.handOvers >= most.maxHandOvers &&
src/core/tenure/lingering.ts
kept-for-long: a lock is kept by habit whatever its lease: a process that dies then leaves that
- spent || isLong ? 0
+ spent ? 0
src/kinds/several/acquire-all.ts
gives-back-unwatched: a multi-lock that begins anew is not woken by the release of what it gave back
- unrelated: false,
src/core/tenure/watchdog.ts
renewal-answered-late: a renewal that is answered after the deadline is taken for good
- if (this.schedule.clock.now() >= tenure.deadline) return
`
