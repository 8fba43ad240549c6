import { beforeEach, describe, expect, test } from 'vitest'
import { SharedGate } from '../../src/core/queue/shared-gate.js'
import type { Waiter } from '../../src/core/queue/waiter.js'
import { VirtualClock } from '../../src/memory/index.js'
import type { GrantedReply } from '../../src/ports/lock-port.js'
import { heldBy, root, waiterFor, within } from './scenery.js'
import { ScriptedPort } from './scripted-port.js'

let clock: VirtualClock
let gate: SharedGate

beforeEach(() => {
  clock = new VirtualClock()
  gate = new SharedGate('lock', new ScriptedPort(true), clock)
})

function waiters(count: number): Waiter[] {
  const joined = Array.from({ length: count }, (_, index) => waiterFor(root(`client:${index + 1}`)))
  for (const waiter of joined) gate.queue.join(waiter)
  return joined
}

const woken = (all: readonly Waiter[]): boolean[] => all.map((waiter) => waiter.wakeUp.tryAcquire())
const granted = (terms: Omit<GrantedReply, 'outcome'> = {}): GrantedReply => ({
  outcome: 'granted',
  ...terms,
})

describe('SharedGate', () => {
  test('each owner has a tenure of its own, which is in nobody else’s way', () => {
    const [one, two] = [heldBy(root('client:1')), heldBy(root('client:2'))]
    gate.began(one)
    gate.began(two)
    expect(gate.tenures).toEqual([one, two])
    expect(gate.tenureMetBy('client:1')).toBe(one)
    expect(gate.tenureMetBy('client:3')).toBeUndefined()
    gate.ended(one)
    expect([gate.held, gate.tenures]).toEqual([true, [two]])
    gate.ended(two)
    expect(gate.held).toBe(false)
  })

  test('a grant disproves only what its own owner believed', () => {
    const [believed, other, now] = [
      heldBy(root('client:1')),
      heldBy(root('client:2')),
      heldBy(root('client:1')),
    ]
    gate.began(believed)
    gate.began(other)
    expect(gate.disprovedBy(now)).toEqual([believed])
    expect(gate.disprovedBy(believed)).toEqual([])
    gate.began(now)
    gate.ended(believed)
    expect(gate.tenureMetBy('client:1')).toBe(now)
  })

  test('W3: one speaks for all, whoever of the process holds', () => {
    const [first, second] = waiters(2)
    gate.began(heldBy(root('client:9')))
    if (!first || !second) return expect.unreachable()
    expect([first, second].map((waiter) => gate.speaks(waiter, undefined))).toEqual([true, false])
  })

  test('nothing is handed over in memory', () => {
    waiters(1)
    expect(gate.heir()).toBeUndefined()
  })

  test('W3: news wakes the first, not the herd; where there was room for more, the next follows', () => {
    const [first, ...others] = waiters(4)
    if (!first) return expect.unreachable()
    gate.announce({ room: 2 })
    expect(woken([first, ...others])).toEqual([true, false, false, false])
    gate.looksInto()
    gate.answered(first, granted({ room: 1 }), true)
    gate.entered(granted({ room: 1 }))
    expect(gate.news).toBe(true)
    gate.queue.leave(first)
    gate.left(first)
    expect(woken(others)).toEqual([true, false, false])
  })

  test('what came after the question was sent is news still; a grant without room makes none', () => {
    gate.looksInto()
    gate.entered(granted({ room: 0 }))
    expect(gate.news).toBe(false)
    gate.announce()
    gate.entered(granted({ room: 0 }))
    expect(gate.news).toBe(true)
  })

  test('full: who comes next rests until a lease ends there, as long as the watch is in force and nothing is announced', () => {
    const [first, second] = waiters(2)
    if (!first || !second) return expect.unreachable()
    gate.beginWatch()
    gate.looksInto()
    gate.answered(first, { outcome: 'busy', remainingMs: 500, holder: undefined }, true)
    expect(gate.restsUntil(second)).toBe(clock.now() + 500)
    gate.announce()
    expect(gate.restsUntil(second)).toBe(Number.NEGATIVE_INFINITY)
    gate.looksInto()
    gate.answered(first, granted({ room: 0, fullForMs: 300 }), true)
    expect(gate.restsUntil(second)).toBe(clock.now() + 300)
    gate.endWatch()
    expect(gate.restsUntil(second)).toBe(Number.NEGATIVE_INFINITY)
  })

  test('room, or no word about it: who comes next asks', () => {
    const [first] = waiters(1)
    if (!first) return expect.unreachable()
    gate.beginWatch()
    gate.looksInto()
    for (const reply of [granted({ room: 3 }), granted()]) {
      gate.answered(first, reply, true)
      expect(gate.restsUntil(first)).toBe(Number.NEGATIVE_INFINITY)
    }
  })

  test('open without a limit (a latch): all ask, and all are woken; closed again, the first', () => {
    const all = waiters(3)
    const [first] = all
    if (!first) return expect.unreachable()
    gate.answered(first, granted({ room: Number.POSITIVE_INFINITY }), true)
    expect(all.map((waiter) => gate.speaks(waiter, undefined))).toEqual([true, true, true])
    gate.next()
    expect(woken(all)).toEqual([true, true, true])
    gate.answered(first, { outcome: 'busy', remainingMs: 500, holder: undefined }, true)
    gate.next()
    expect(woken(all)).toEqual([true, false, false])
  })

  test('O2: when a hold ends whoever may re-enter is woken, and the contender as well', () => {
    const section = within(root('client:9'))
    gate.began(heldBy(section))
    const [contender] = waiters(1)
    const nested = waiterFor(within(section))
    gate.queue.join(nested)
    if (!contender) return expect.unreachable()
    gate.next('client:9')
    expect(woken([contender, nested])).toEqual([true, true])
  })
})
