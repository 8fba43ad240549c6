import { beforeEach, describe, expect, test } from 'vitest'
import { LineGate } from '../../src/core/queue/line-gate.js'
import type { Waiter } from '../../src/core/queue/waiter.js'
import type { Owner } from '../../src/identity/owner.js'
import { VirtualClock } from '../../src/memory/index.js'
import type { AcquireReply } from '../../src/ports/store.js'
import { heldBy, root, waiterFor, within } from './scenery.js'
import { ScriptedPort, settle } from './scripted-port.js'

const BUSY: AcquireReply = { outcome: 'busy', remainingMs: 60_000, holder: 'other:1' }
const GRANTED: AcquireReply = { outcome: 'granted' }

let clock: VirtualClock
let gate: LineGate

beforeEach(() => {
  clock = new VirtualClock()
  gate = new LineGate('lock', new ScriptedPort(true), clock)
})

/** A call that has asked as itself. */
function asking(owner: Owner, waiter = waiterFor(root(owner))): Waiter {
  gate.queue.join(waiter)
  gate.callers += 1
  waiter.askedAs = owner
  return waiter
}

/** A call that has its place, and has asked with the watch in force. */
function inLine(owner: Owner): Waiter {
  const waiter = asking(owner)
  gate.answered(waiter, BUSY, true)
  return waiter
}

function rests(waiter: Waiter): boolean {
  return gate.restsUntil(waiter) > clock.now()
}

describe('LineGate', () => {
  test('each call asks for itself; calls of one owner take turns', () => {
    const scope = root('client:1')
    const [first, second] = [waiterFor(within(scope)), waiterFor(within(scope))]
    const other = waiterFor(root('client:2'))
    for (const waiter of [first, second, other]) gate.queue.join(waiter)
    expect([first, second, other].map((waiter) => gate.speaks(waiter, undefined))).toEqual([
      true,
      false,
      true,
    ])
    expect(gate.speaks(first, heldBy(scope))).toBe(false)
  })

  test('W1: it has a place, and rests, only when it asked with the watch in force', () => {
    const waiter = asking('client:1')
    gate.answered(waiter, BUSY, false)
    expect([gate.placed, rests(waiter)]).toEqual([0, false])
    gate.answered(waiter, BUSY, true)
    expect([gate.placed, rests(waiter)]).toEqual([1, true])
    gate.endWatch()
    expect(rests(waiter)).toBe(false)
  })

  test('the foremost looks for all when the holder’s lease has ended; when it leaves, the next', async () => {
    const [first, second] = [inLine('client:1'), inLine('client:2')]
    await clock.advance(60_000)
    expect([first, second].map(rests)).toEqual([false, true])
    gate.queue.leave(first)
    gate.left(first)
    expect(second.wakeUp.tryAcquire()).toBe(true)
    expect(rests(second)).toBe(false)
  })

  test('the foremost looks sooner where it is told to', async () => {
    const [first, second] = [inLine('client:1'), inLine('client:2')]
    gate.announce({ lookInMs: 10 })
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
    gate.announce({ grantedTo: 'client:2' })
    gate.announce({ grantedTo: 'stranger:1' })
    await settle()
    expect(woken).toEqual([1])
    expect(waiters.map(rests)).toEqual([true, false, true])
  })

  test.each(['its first question', 'its second', 'one after a rest'])(
    'a grant that is announced while %s is under way: it asks once more',
    (which) => {
      const waiter = asking('client:1')
      if (which !== 'its first question') gate.answered(waiter, BUSY, which === 'one after a rest')
      waiter.attempting = Promise.resolve()
      gate.announce({ grantedTo: 'client:1' })
      waiter.attempting = undefined
      expect(waiter.wakeUp.tryAcquire()).toBe(false)
      gate.answered(waiter, BUSY, true)
      expect(waiter.wakeUp.tryAcquire()).toBe(true)
      expect(rests(waiter)).toBe(false)
      // It was told once.
      gate.answered(waiter, BUSY, true)
      expect(rests(waiter)).toBe(true)
    },
  )

  test('W4: what was announced early for a call that has left is forgotten', () => {
    const gone = asking('client:1')
    gate.announce({ grantedTo: 'client:1' })
    gate.queue.leave(gone)
    gate.left(gone)
    const later = asking('client:1')
    gate.answered(later, BUSY, true)
    expect(rests(later)).toBe(true)
  })

  test('H30: what was announced for somebody who does not ask is not remembered', () => {
    asking('client:2')
    gate.announce({ grantedTo: 'client:1' })
    const later = asking('client:1')
    gate.answered(later, BUSY, true)
    expect(rests(later)).toBe(true)
  })

  test('W4: who is granted it, or leaves, has no place', () => {
    const [first, second] = [inLine('client:1'), inLine('client:2')]
    gate.answered(first, GRANTED, true)
    expect(gate.placed).toBe(1)
    gate.queue.leave(second)
    gate.left(second)
    expect(gate.placed).toBe(0)
  })

  test('a single attempt has no place', () => {
    const waiter = asking('client:1', waiterFor(root('client:1'), { waitMs: 0 }))
    gate.answered(waiter, BUSY, true)
    expect(gate.placed).toBe(0)
  })

  test('news without particulars has the foremost ask, for all', () => {
    const waiters = [inLine('client:1'), inLine('client:2')]
    gate.announce()
    expect(waiters.map((waiter) => waiter.wakeUp.tryAcquire())).toEqual([true, false])
    expect(waiters.map(rests)).toEqual([false, true])
  })

  test('where places are gone everybody asks again', () => {
    const waiters = [inLine('client:1'), inLine('client:2')]
    gate.announce({ placesGone: true })
    expect(waiters.map((waiter) => waiter.wakeUp.tryAcquire())).toEqual([true, true])
    expect(waiters.map(rests)).toEqual([false, false])
  })

  test('O2: when a hold ends its owner’s next call is woken, and nobody else’s', () => {
    const scope = root('client:1')
    const [sibling, other] = [waiterFor(within(scope)), waiterFor(root('client:2'))]
    for (const waiter of [sibling, other]) gate.queue.join(waiter)
    gate.next('client:1')
    expect([sibling, other].map((waiter) => waiter.wakeUp.tryAcquire())).toEqual([true, false])
    gate.next()
    expect([sibling, other].map((waiter) => waiter.wakeUp.tryAcquire())).toEqual([false, false])
  })
})
