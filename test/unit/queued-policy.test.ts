import { beforeEach, describe, expect, test } from 'vitest'
import { LocalQueue } from '../../src/core/queue/local-queue.js'
import { QueuedPolicy } from '../../src/core/queue/queued-policy.js'
import type { Waiter } from '../../src/core/queue/waiter.js'
import type { Owner } from '../../src/identity/owner.js'
import { fairLock } from '../../src/kinds/kinds.js'
import { VirtualClock } from '../../src/memory/index.js'
import type { AcquireReply } from '../../src/ports/lock-port.js'
import { heldBy, root, waiterFor, within } from './scenery.js'
import { ScriptedPort, settle } from './scripted-port.js'

const BUSY: AcquireReply = { outcome: 'busy', remainingMs: 60_000, holder: 'other:1' }
const GRANTED: AcquireReply = { outcome: 'granted' }

class PortWithLine extends ScriptedPort {
  override readonly line = { placeMs: 0, hears: () => false }
}

let clock: VirtualClock
let queue: LocalQueue

beforeEach(() => {
  clock = new VirtualClock()
  queue = new LocalQueue('lock', { kind: fairLock, port: new PortWithLine(true), schedule: { clock } })
})

/** A call that has asked as itself. */
function asking(owner: Owner, waiter = waiterFor(root(owner))): Waiter {
  queue.waiters.join(waiter)
  queue.callers += 1
  waiter.askedAs = owner
  return waiter
}

/** A call that has its place, and has asked with the watch in force. */
function inLine(owner: Owner): Waiter {
  const waiter = asking(owner)
  queue.policy.onReply(waiter, BUSY, true)
  return waiter
}

function placed(): number {
  return queue.policy instanceof QueuedPolicy ? queue.policy.placed : Number.NaN
}

function rests(waiter: Waiter): boolean {
  return queue.policy.knownUntil(waiter) > clock.now()
}

describe('QueuedPolicy', () => {
  test('each call asks for itself; calls of one owner take turns', () => {
    const scope = root('client:1')
    const [first, second] = [waiterFor(within(scope)), waiterFor(within(scope))]
    const other = waiterFor(root('client:2'))
    for (const waiter of [first, second, other]) queue.waiters.join(waiter)
    expect([first, second, other].map((waiter) => queue.policy.mayAsk(waiter, undefined))).toEqual([
      true,
      false,
      true,
    ])
    expect(queue.policy.mayAsk(first, heldBy(scope))).toBe(false)
  })

  test('W7: one that rested, asks again and is granted the lock meanwhile does not rest on the older answer', () => {
    const waiter = inLine('client:1')
    waiter.attempting = new Promise(() => undefined)
    queue.policy.onSignal({ grantedTo: 'client:1' })
    queue.policy.onReply(waiter, BUSY, true)
    expect(rests(waiter)).toBe(false)
  })

  test('W1: it has a place, and rests, only when it asked with the watch in force', () => {
    const waiter = asking('client:1')
    queue.policy.onReply(waiter, BUSY, false)
    expect([placed(), rests(waiter)]).toEqual([0, false])
    queue.policy.onReply(waiter, BUSY, true)
    expect([placed(), rests(waiter)]).toEqual([1, true])
    queue.watch.end()
    expect(rests(waiter)).toBe(false)
  })

  test('the foremost looks for all when the holder’s lease has ended; when it leaves, the next', async () => {
    const [first, second] = [inLine('client:1'), inLine('client:2')]
    await clock.advance(60_000)
    expect([first, second].map(rests)).toEqual([false, true])
    queue.waiters.leave(first)
    queue.policy.onLeave(first)
    expect(second.wakeUp.tryAcquire()).toBe(true)
    expect(rests(second)).toBe(false)
  })

  test('the foremost looks sooner where it is told to', async () => {
    const [first, second] = [inLine('client:1'), inLine('client:2')]
    queue.policy.onSignal({ lookInMs: 10 })
    expect(first.wakeUp.tryAcquire()).toBe(true)
    expect([first, second].map(rests)).toEqual([true, true])
    await clock.advance(10)
    expect([first, second].map(rests)).toEqual([false, true])
  })

  test('a grant is told to the one it is for; nobody else is woken, and nothing is sent', async () => {
    const waiters = (['client:1', 'client:2', 'client:3'] as const).map(inLine)
    const woken: number[] = []
    waiters.forEach((waiter, index) => {
      void waiter.sleep(Number.POSITIVE_INFINITY).then(() => woken.push(index))
    })
    queue.policy.onSignal({ grantedTo: 'client:2' })
    queue.policy.onSignal({ grantedTo: 'stranger:1' })
    await settle()
    expect(woken).toEqual([1])
    expect(waiters.map(rests)).toEqual([true, false, true])
  })

  test.each(['its first question', 'its second', 'one after a rest'])(
    'a grant that is announced while %s is under way: it asks once more',
    (which) => {
      const waiter = asking('client:1')
      if (which !== 'its first question') queue.policy.onReply(waiter, BUSY, which === 'one after a rest')
      waiter.attempting = Promise.resolve()
      queue.policy.onSignal({ grantedTo: 'client:1' })
      waiter.attempting = undefined
      expect(waiter.wakeUp.tryAcquire()).toBe(false)
      queue.policy.onReply(waiter, BUSY, true)
      expect(waiter.wakeUp.tryAcquire()).toBe(true)
      expect(rests(waiter)).toBe(false)
      // It was told once.
      queue.policy.onReply(waiter, BUSY, true)
      expect(rests(waiter)).toBe(true)
    },
  )

  test('W4: what was announced early for a call that has left is forgotten', () => {
    const gone = asking('client:1')
    queue.policy.onSignal({ grantedTo: 'client:1' })
    queue.waiters.leave(gone)
    queue.policy.onLeave(gone)
    const later = asking('client:1')
    queue.policy.onReply(later, BUSY, true)
    expect(rests(later)).toBe(true)
  })

  test('H30: what was announced for somebody who does not ask is not remembered', () => {
    asking('client:2')
    queue.policy.onSignal({ grantedTo: 'client:1' })
    const later = asking('client:1')
    queue.policy.onReply(later, BUSY, true)
    expect(rests(later)).toBe(true)
  })

  test('W4: who is granted it, or leaves, has no place', () => {
    const [first, second] = [inLine('client:1'), inLine('client:2')]
    queue.policy.onReply(first, GRANTED, true)
    expect(placed()).toBe(1)
    queue.waiters.leave(second)
    queue.policy.onLeave(second)
    expect(placed()).toBe(0)
  })

  test('a single attempt has no place', () => {
    const waiter = asking('client:1', waiterFor(root('client:1'), { waitMs: 0 }))
    queue.policy.onReply(waiter, BUSY, true)
    expect(placed()).toBe(0)
  })

  test('news without particulars has the foremost ask, for all', () => {
    const waiters = [inLine('client:1'), inLine('client:2')]
    queue.policy.onSignal()
    expect(waiters.map((waiter) => waiter.wakeUp.tryAcquire())).toEqual([true, false])
    expect(waiters.map(rests)).toEqual([false, true])
  })

  test('where places are gone everybody asks again', () => {
    const waiters = [inLine('client:1'), inLine('client:2')]
    queue.policy.onSignal({ placesGone: true })
    expect(waiters.map((waiter) => waiter.wakeUp.tryAcquire())).toEqual([true, true])
    expect(waiters.map(rests)).toEqual([false, false])
  })

  test('O2: when a hold ends its owner’s next call is woken, and nobody else’s', () => {
    const scope = root('client:1')
    const [sibling, other] = [waiterFor(within(scope)), waiterFor(root('client:2'))]
    for (const waiter of [sibling, other]) queue.waiters.join(waiter)
    queue.policy.wakeNext('client:1')
    expect([sibling, other].map((waiter) => waiter.wakeUp.tryAcquire())).toEqual([true, false])
    queue.policy.wakeNext()
    expect([sibling, other].map((waiter) => waiter.wakeUp.tryAcquire())).toEqual([false, false])
  })
})
