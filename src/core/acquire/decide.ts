import type { HoldRecord } from '../tenure/tenure.js'

/** What a call knows when it decides what to do next. Times are on the lease clock. */
export interface Situation {
  readonly now: number
  /** When its wait is over. */
  readonly deadline: number
  /** Whether it makes one attempt and does not wait. */
  readonly once: boolean
  /** The hold that another call of this process has handed to it. */
  readonly handedOff: HoldRecord | undefined
  /** Whether its own section is in its way, which it may not enter once more. */
  readonly nested: boolean
  /** Whether the lock has stayed with this process, with nobody inside. */
  readonly keptHere: boolean
  /** When to make a single attempt once more: the holder's process may only keep the lock, with nobody inside. */
  readonly tryAgainAt: number | undefined
  /** Whether a hold is on its way to it from another call, by a command whose answer is awaited. */
  readonly handOffPending: boolean
  /** Whether it has looked since it last had reason to. */
  readonly hasLooked: boolean
  /**
   * What this process has of the lock, in the way of this call: nothing; its own owner's tenure, which it may re-enter now or not
   * (a sibling is inside); another owner's, held or being released.
   */
  readonly tenureHere: 'none' | 'enterable' | 'siblings' | 'held' | 'releasing'
  /** Whether calls of its owner came before it, and whether the first of them is asking the store. */
  readonly sibling: 'none' | 'waiting' | 'asking'
  /** Whether it is this call's business to ask the store now. */
  readonly mayAsk: boolean
  /** Whether it has asked the store before. */
  readonly hasAsked: boolean
  /** Whether something was announced that no call has looked into. */
  readonly unread: boolean
  /** From when on such a signal, if there is one, casts doubt on a lock that this process holds. */
  readonly doubtsFrom: number
  /** Until when calls of this process let others go first. */
  readonly backUntil: number
  /** Whether the store has failed for longer than calls that wait put up with. */
  readonly outOfPatience: boolean
  /** Until when the store's answer is known from that to another call, or to its place in line. */
  readonly knownUntil: number
  /** Whether it counts among the calls that wait. */
  readonly waits: boolean
  /** When to try again after a failure of the store; undefined while it answers. */
  readonly retryAt: number | undefined
  /** When to ask again where nothing is announced; undefined where releases are. */
  readonly pollAt: number | undefined
  /** Whether the watch is in force now, and whether it was when what is known was learned: then no release can have slipped by. */
  readonly watching: boolean
  readonly learnedWhileWatching: boolean
  /** Not before that time is another watch tried, after one has failed. */
  readonly watchAgainAt: number
  /** When to look again by itself, as far as is known: the end of the holder's lease. */
  readonly lookAt: number
}

/** What to do next. */
export type Step =
  /** It has the lock: take the hold that was handed over. */
  | { readonly do: 'enter'; readonly hold: HoldRecord }
  /** Take over the lock that has stayed with this process. */
  | { readonly do: 'enterKept' }
  /** Ask for one hold more of the owner's tenure, when the tenure's commands before it are through. */
  | { readonly do: 'reenter' }
  /** Ask the store for a first hold. */
  | { readonly do: 'ask' }
  /** Wait for the outcome of the sibling's request: it decides what this call has to ask for. */
  | { readonly do: 'follow' }
  /** Have the store say whether the process still has its tenure. */
  | { readonly do: 'verify' }
  /** Note what is known without asking: from the process's own tenure, or from the answer to another call. */
  | { readonly do: 'learn'; readonly from: 'tenure' | 'answer' }
  /** Begin to wait: from here on it counts against `maxWaiters`. */
  | { readonly do: 'join' }
  /** Have releases announced. */
  | { readonly do: 'watch' }
  /** Sleep on the wake-up semaphore, at most until then. */
  | { readonly do: 'sleep'; readonly until: number }
  /** Give up at once: it would wait for its own section. */
  | { readonly do: 'refuseNested' }
  /** Give up because the store fails. */
  | { readonly do: 'fail' }
  /** Give up because the time is over. */
  | { readonly do: 'refuse' }

/**
 * The wait loop's decision (rule W1). Repeatedly: take what was handed over; else look, by the means that are this call's now; else,
 * unless the time is over, see to it that the release will be heard of, look again, and sleep.
 */
export function decide(me: Situation): Step {
  if (me.handedOff) return { do: 'enter', hold: me.handedOff }
  if (me.nested) return { do: 'refuseNested' }
  if (me.keptHere) return { do: 'enterKept' }
  const look = me.hasLooked ? undefined : howToLook(me)
  if (look) return look
  if (me.once && me.tryAgainAt !== undefined) return { do: 'sleep', until: me.tryAgainAt }
  if (me.once || me.now >= me.deadline) return { do: 'refuse' }
  if (!me.waits) return { do: 'join' }
  if (hasToWatch(me)) return { do: 'watch' }
  return { do: 'sleep', until: Math.min(me.deadline, wakeAt(me)) }
}

/** Undefined when there is nothing to do but wait. */
function howToLook(me: Situation): Step | undefined {
  const { tenureHere } = me
  if (me.handOffPending && tenureHere !== 'none') return { do: 'learn', from: 'tenure' }
  if (tenureHere === 'enterable') return { do: 'reenter' }
  if (tenureHere === 'siblings') return undefined
  if (me.once) {
    if (me.sibling === 'none') return { do: 'ask' }
    return me.sibling === 'asking' ? { do: 'follow' } : undefined
  }
  if (!me.mayAsk) return undefined
  // What this process holds itself needs no asking. A signal may mean that it holds it no more: then the store is to say so. Where
  // its release is under way the signal does mean that, and the answer may be lost.
  if (tenureHere === 'held')
    return me.now >= me.doubtsFrom ? { do: 'verify' } : { do: 'learn', from: 'tenure' }
  if (tenureHere === 'releasing' && !me.unread) return { do: 'learn', from: 'tenure' }
  // An attempt for whose answer there is no time could only be given back.
  if (me.hasAsked && me.now >= me.deadline) return undefined
  if (letsOthersGoFirst(me)) return undefined
  // A call that waited behind one that gave up, or in line, knows of the outage: it does not spend a command's time on finding out again.
  if (me.outOfPatience && me.waits) return { do: 'fail' }
  // Only the repetition of an unanswered request tells what has become of it.
  const known = me.now < me.knownUntil && me.retryAt === undefined
  return known ? { do: 'learn', from: 'answer' } : { do: 'ask' }
}

/** After a release that others waited for. A call that has not the time to let them is not kept from its attempt. */
function letsOthersGoFirst({ now, backUntil, deadline }: Situation): boolean {
  return now < backUntil && backUntil < deadline
}

function hasToWatch(me: Situation): boolean {
  if (me.pollAt !== undefined || !me.mayAsk || me.learnedWhileWatching) return false
  if (me.retryAt !== undefined || me.now < me.watchAgainAt) return false
  // While others go first no attempt is made that could find the watch in force.
  return !(me.watching && letsOthersGoFirst(me))
}

/** The latest time to look again by itself. A call that may not ask is woken when it may. */
function wakeAt(me: Situation): number {
  if (me.retryAt !== undefined) return me.retryAt
  if (!me.mayAsk) return Infinity
  if (me.pollAt !== undefined)
    return me.tenureHere === 'none' ? Math.max(Math.min(me.lookAt, me.pollAt), me.backUntil) : me.lookAt
  if (me.backUntil > me.now) return me.backUntil
  return me.learnedWhileWatching ? me.lookAt : Math.min(me.lookAt, me.watchAgainAt)
}
