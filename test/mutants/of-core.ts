import type { Fault } from './fault.js'
import { inSource } from './in-source.js'

/** Broken versions of the core, beside those that chaos hunts. */
export const ofCore: readonly Fault[] = [
  ...inSource(
    'core/acquire/decide.ts',
    {
      name: 'doubt-ignored',
      fault: 'a lock that was forced open is believed to be held here',
      text: "return me.now >= me.doubtsFrom ? { do: 'verify' } : { do: 'learn', from: 'tenure' }",
      becomes: "return { do: 'learn', from: 'tenure' }",
    },
    {
      name: 'siblings-together',
      fault: 'a call re-enters beside its sibling',
      text: "if (tenureHere === 'siblings') return undefined",
      becomes: "if (tenureHere === 'siblings') return { do: 'reenter' }",
    },
    {
      name: 'outage-found-out-again',
      fault: 'each call that waits finds the outage out for itself',
      text: "if (me.outOfPatience && me.waits) return { do: 'fail' }",
      becomes: '',
    },
    {
      name: 'hog',
      fault: 'a process asks at once for the lock that it has just released',
      text: 'return now < backUntil && backUntil < deadline',
      becomes: 'return now < backUntil && backUntil < now',
    },
    {
      name: 'time-over-unnoticed',
      fault: 'a call whose time is over waits on',
      text: "if (me.once || me.now >= me.deadline) return { do: 'refuse' }",
      becomes: "if (me.once) return { do: 'refuse' }",
    },
  ),
  ...inSource('port/lease.ts', {
    name: 'no-margin',
    fault: 'the holder gives its lease up when the store does, and not before',
    text: 'return beforeSendMs + leaseMs - (leaseMs * 0.01 + 2)',
    becomes: 'return beforeSendMs + leaseMs',
  }),
  ...inSource(
    'core/tenure/tenures.ts',
    {
      name: 'grant-after-its-lease',
      fault: 'a grant is taken although its lease is over',
      text: 'if (now >= tenure.deadline) return false',
      becomes: 'if (now >= Infinity) return false',
    },
    {
      name: 'release-forgotten',
      fault: 'the next acquisition of an owner overtakes its release that is under way',
      text: 'if (tenure.releasing) this.orphans.follow(tenure, tenure.releasing.work)',
      becomes: '',
    },
    {
      name: 'disproof-ignored',
      fault: 'a tenure is believed although the store gave its lock to another owner',
      text: "if (believed.state === 'held') this.lose(believed, 'not-in-store', undefined)",
      becomes: '',
    },
  ),
  ...inSource(
    'core/tenure/release.ts',
    {
      name: 'unknown-release-left',
      fault: 'a release whose outcome is unknown is left at that',
      text: 'void env.orphans.begin(request, refused ? CARRIED_OUT : Promise.reject(error))',
      becomes: 'void [request, refused, CARRIED_OUT, error]',
    },
    {
      name: 'loss-at-release-untold',
      fault: 'a release that finds the lock gone says that all was well',
      text: "if (reply === 'not-owner') throw lost(env, tenure, grant)",
      becomes: '',
    },
    {
      name: 'repeat-as-first',
      fault: 'a release that is sent again does not say so',
      text: '() => sendOnce(true),',
      becomes: '() => sendOnce(false),',
    },
  ),
  ...inSource('core/tenure/slice.ts', {
    name: 'never-spent',
    fault: 'a process hands the lock from call to call for as long as it likes',
    text: 'tenure.handOvers >= settings.maxHandOvers ||',
    becomes: 'tenure.handOvers >= settings.maxHandOvers &&',
  }),
  ...inSource('core/tenure/lingering.ts', {
    name: 'kept-for-long',
    fault: 'a lock is kept by habit whatever its lease: a process that dies then leaves that',
    text: 'spent || isLong ? 0',
    becomes: 'spent ? 0',
  }),
  ...inSource('kinds/several/acquire-all.ts', {
    name: 'gives-back-unwatched',
    fault: 'a multi-lock that begins anew is not woken by the release of what it gave back',
    text: '      unrelated: false,\n',
    becomes: '\n',
  }),
  ...inSource('core/lease/watchdog.ts', {
    name: 'renewal-answered-late',
    fault: 'a renewal that is answered after the deadline is taken for good',
    text: 'if (this.schedule.clock.now() >= tenure.deadline) return\n',
    becomes: '\n',
  }),
]
