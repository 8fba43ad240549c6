import { describe, expect, test } from 'vitest'
import { decide, type Situation, type Step } from '../../src/core/acquire/decide.js'
import { HoldRecord } from '../../src/core/tenure/tenure.js'
import { heldBy, root } from './scenery.js'

const NEVER = Number.POSITIVE_INFINITY
const PAST = Number.NEGATIVE_INFINITY
const NOW = 1_000

/** A call that is the first of its process, with all the time there is. */
const FIRST: Situation = {
  now: NOW,
  deadline: NEVER,
  once: false,
  handedOff: undefined,
  nested: false,
  keptHere: false,
  tryAgainAt: undefined,
  handOffPending: false,
  hasLooked: false,
  tenureHere: 'none',
  sibling: 'none',
  mayAsk: true,
  hasAsked: false,
  unread: false,
  doubtsFrom: NEVER,
  backUntil: PAST,
  outOfPatience: false,
  knownUntil: PAST,
  waits: false,
  retryAt: undefined,
  pollAt: undefined,
  watching: false,
  learnedWhileWatching: false,
  watchAgainAt: PAST,
  lookAt: NEVER,
}

/** It has asked, and another owner holds the lock until `lookAt`. */
const REFUSED: Partial<Situation> = { hasLooked: true, hasAsked: true, lookAt: 5_000 }
/** As that, with the watch in force. */
const COVERED: Partial<Situation> = { ...REFUSED, waits: true, watching: true, learnedWhileWatching: true }
const ONCE: Partial<Situation> = { once: true, deadline: NOW }

const hold = new HoldRecord(heldBy(root('client:1')), root('client:1'), undefined)
const ENTER: Step = { do: 'enter', hold }
const sleepUntil = (until: number): Step => ({ do: 'sleep', until })
const learnFrom = (from: 'tenure' | 'answer'): Step => ({ do: 'learn', from })

/** A step that needs no more than its name is its name. */
const rows: ReadonlyArray<readonly [string, Partial<Situation>, Step | Step['do']]> = [
  ['the first call asks', {}, 'ask'],
  ['a hold that was handed over goes before everything', { ...COVERED, handedOff: hold }, ENTER],
  ['also where the time is over', { ...COVERED, deadline: NOW, handedOff: hold }, ENTER],

  ['a lock that has stayed with the process is taken over', { keptHere: true }, 'enterKept'],
  ['also by a single attempt', { ...ONCE, keptHere: true }, 'enterKept'],
  [
    'a single attempt that a lock with perhaps nobody inside refused is made once more, after a pause',
    { ...ONCE, ...REFUSED, tryAgainAt: NOW + 2 },
    sleepUntil(NOW + 2),
  ],

  ['O2: what runs within the section re-enters', { tenureHere: 'enterable', mayAsk: false }, 'reenter'],
  ['also at the end of its time', { tenureHere: 'enterable', deadline: NOW }, 'reenter'],
  ['O2: a sibling waits', { tenureHere: 'siblings', mayAsk: false, waits: true }, sleepUntil(NEVER)],
  ['a sibling that makes one attempt is refused', { ...ONCE, tenureHere: 'siblings' }, 'refuse'],

  [
    'a call within a section that it may not re-enter is refused at once, whatever it is waiting for',
    { ...COVERED, tenureHere: 'enterable', nested: true },
    'refuseNested',
  ],

  [
    'a hand-off that is on its way is waited for',
    { tenureHere: 'releasing', handOffPending: true },
    learnFrom('tenure'),
  ],
  ['… unless the tenure it comes from is over', { handOffPending: true }, 'ask'],

  [
    'a single attempt asks, whatever the process holds',
    { ...ONCE, tenureHere: 'held', mayAsk: false },
    'ask',
  ],
  ['… whatever is known', { ...ONCE, knownUntil: 2_000, backUntil: 2_000 }, 'ask'],
  ['… after its owner’s request that is under way', { ...ONCE, sibling: 'asking' }, 'follow'],
  ['… but not past a call of its owner that waits', { ...ONCE, sibling: 'waiting' }, 'refuse'],
  ['… and only once', { ...ONCE, hasLooked: true, hasAsked: true }, 'refuse'],

  ['W3: who may not ask waits', { mayAsk: false }, 'join'],
  ['… until it is woken', { mayAsk: false, waits: true, lookAt: 5_000 }, sleepUntil(NEVER)],
  ['what the process itself holds needs no asking', { tenureHere: 'held' }, learnFrom('tenure')],
  ['… unless something was announced', { tenureHere: 'held', doubtsFrom: PAST }, 'verify'],
  [
    '… and the lock is not so young that a watch which has begun casts no doubt on it',
    { tenureHere: 'held', doubtsFrom: NOW + 1 },
    learnFrom('tenure'),
  ],
  ['a release that is under way ends with its answer', { tenureHere: 'releasing' }, learnFrom('tenure')],
  ['… or with what was announced: the answer may be lost', { tenureHere: 'releasing', unread: true }, 'ask'],

  ['W5: an answer for which there is no time is not asked for', { hasAsked: true, deadline: NOW }, 'refuse'],
  ['… but the first one is', { deadline: NOW }, 'ask'],
  ['others go first after a release they waited for', { waits: true, backUntil: 1_002 }, 'watch'],
  [
    '… with the watch in force it sleeps for so long',
    { waits: true, watching: true, backUntil: 1_002 },
    sleepUntil(1_002),
  ],
  ['… not if its own time is over before', { backUntil: 1_002, deadline: 1_001 }, 'ask'],
  ['H4: an outage is not found out again by each that waits', { waits: true, outOfPatience: true }, 'fail'],
  ['… but a new call tries', { outOfPatience: true }, 'ask'],
  ['what the store told another call is known', { knownUntil: 1_001 }, learnFrom('answer')],
  ['… until then', { knownUntil: NOW }, 'ask'],
  [
    'X1: what its own request has come to that failed, no answer to another call tells',
    { knownUntil: 1_001, retryAt: NOW },
    'ask',
  ],

  ['W1: refused, it begins to wait', REFUSED, 'join'],
  ['W1: watches', { ...REFUSED, waits: true }, 'watch'],
  ['W1: asks again', { ...REFUSED, waits: true, watching: true, hasLooked: false }, 'ask'],
  ['W1: sleeps until the lease ends', COVERED, sleepUntil(5_000)],
  ['W1: or its time is over', { ...COVERED, deadline: 2_000 }, sleepUntil(2_000)],
  ['W5: then it is refused', { ...COVERED, deadline: NOW }, 'refuse'],
  [
    'a failed watch is tried again later',
    { ...REFUSED, waits: true, watchAgainAt: 1_020 },
    sleepUntil(1_020),
  ],
  [
    'a failed request is, too',
    { ...COVERED, learnedWhileWatching: false, retryAt: 1_020 },
    sleepUntil(1_020),
  ],
  ['who polls watches nothing', { ...REFUSED, waits: true, pollAt: 1_050 }, sleepUntil(1_050)],
  ['… and asks when the lease ends', { ...REFUSED, waits: true, pollAt: 9_000 }, sleepUntil(5_000)],
  [
    '… not before others had their turn',
    { ...REFUSED, waits: true, pollAt: 1_001, backUntil: 1_016 },
    sleepUntil(1_016),
  ],
  [
    '… nor while the process holds the lock',
    { ...REFUSED, waits: true, pollAt: 1_050, tenureHere: 'held' },
    sleepUntil(5_000),
  ],
]

describe('decide', () => {
  test.each(rows)('%s', (_, known, step) => {
    expect(decide({ ...FIRST, ...known })).toEqual(typeof step === 'string' ? { do: step } : step)
  })

  test('W1, W5: whatever is known, a call whose time is over ends, asks for the first time, or re-enters', () => {
    for (const [, known] of rows) {
      const over = { ...FIRST, ...known, deadline: NOW, tryAgainAt: undefined, handedOff: undefined }
      expect(['sleep', 'watch', 'join']).not.toContain(decide(over).do)
    }
  })
})
