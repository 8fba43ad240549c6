import { beforeEach, describe, expect, test } from 'vitest'
import { LocalQueue } from '../../src/core/queue/local-queue.js'
import type { Waiter } from '../../src/core/queue/waiter.js'
import { semaphore } from '../../src/kinds/kinds.js'
import { VirtualClock } from '../../src/memory/index.js'
import type { GrantedReply } from '../../src/ports/lock-port.js'
import { heldBy, root, waiterFor, within } from './scenery.js'
import { ScriptedPort } from './scripted-port.js'

let clock: VirtualClock
let queue: LocalQueue

beforeEach(() => {
  clock = new VirtualClock()
  queue = new LocalQueue('lock', { kind: semaphore, port: new ScriptedPort(true), schedule: { clock } })
})

function waiters(count: number): Waiter[] {
  const joined = Array.from({ length: count }, (_, index) => waiterFor(root(`client:${index + 1}`)))
  for (const waiter of joined) queue.waiters.join(waiter)
  return joined
}

const woken = (all: readonly Waiter[]): boolean[] => all.map((waiter) => waiter.wakeUp.tryAcquire())
const granted = (terms: Omit<GrantedReply, 'outcome'> = {}): GrantedReply => ({
  outcome: 'granted',
  ...terms,
})

describe('SharedPolicy', () => {
  test('each owner has a tenure of its own, which is in nobody else’s way', () => {
    const [one, two] = [heldBy(root('client:1')), heldBy(root('client:2'))]
    queue.began(one)
    queue.began(two)
    expect(queue.tenures.all).toEqual([one, two])
    expect(queue.tenures.metBy('client:1')).toBe(one)
    expect(queue.tenures.metBy('client:3')).toBeUndefined()
    queue.tenures.ended(one)
    expect([queue.held, queue.tenures.all]).toEqual([true, [two]])
    queue.tenures.ended(two)
    expect(queue.held).toBe(false)
  })

  test('a grant disproves only what its own owner believed', () => {
    const [believed, other, now] = [
      heldBy(root('client:1')),
      heldBy(root('client:2')),
      heldBy(root('client:1')),
    ]
    queue.began(believed)
    queue.began(other)
    expect(queue.tenures.disprovedBy(now)).toEqual([believed])
    expect(queue.tenures.disprovedBy(believed)).toEqual([])
    queue.began(now)
    queue.tenures.ended(believed)
    expect(queue.tenures.metBy('client:1')).toBe(now)
  })

  test('W3: one speaks for all, whoever of the process holds', () => {
    const [first, second] = waiters(2)
    queue.began(heldBy(root('client:9')))
    if (!first || !second) return expect.unreachable()
    expect([first, second].map((waiter) => queue.policy.mayAsk(waiter, undefined))).toEqual([true, false])
  })

  test('nothing is handed over in memory', () => {
    waiters(1)
    expect(queue.policy.successor()).toBeUndefined()
  })

  test('W3: news wakes the first, not the herd; where there was room for more, the next follows', () => {
    const [first, ...others] = waiters(4)
    if (!first) return expect.unreachable()
    queue.policy.onSignal({ room: 2 })
    expect(woken([first, ...others])).toEqual([true, false, false, false])
    queue.policy.aboutToAsk()
    queue.policy.onReply(first, granted({ room: 1 }), true)
    queue.policy.onGranted(granted({ room: 1 }))
    expect(queue.watch.unreadSignal).toBe(true)
    queue.waiters.leave(first)
    queue.policy.onLeave(first)
    expect(woken(others)).toEqual([true, false, false])
  })

  test('what came after the question was sent is news still; a grant without room makes none', () => {
    queue.policy.aboutToAsk()
    queue.policy.onGranted(granted({ room: 0 }))
    expect(queue.watch.unreadSignal).toBe(false)
    queue.policy.onSignal()
    queue.policy.onGranted(granted({ room: 0 }))
    expect(queue.watch.unreadSignal).toBe(true)
  })

  test('full: who comes next rests until a lease ends there, as long as the watch is in force and nothing is announced', () => {
    const [first, second] = waiters(2)
    if (!first || !second) return expect.unreachable()
    queue.watch.begin()
    queue.policy.aboutToAsk()
    queue.policy.onReply(first, { outcome: 'busy', remainingMs: 500, holder: undefined }, true)
    expect(queue.policy.knownUntil(second)).toBe(clock.now() + 500)
    queue.policy.onSignal()
    expect(queue.policy.knownUntil(second)).toBe(Number.NEGATIVE_INFINITY)
    queue.policy.aboutToAsk()
    queue.policy.onReply(first, granted({ room: 0, fullForMs: 300 }), true)
    expect(queue.policy.knownUntil(second)).toBe(clock.now() + 300)
    queue.watch.end()
    expect(queue.policy.knownUntil(second)).toBe(Number.NEGATIVE_INFINITY)
  })

  test('room, or no word about it: who comes next asks', () => {
    const [first] = waiters(1)
    if (!first) return expect.unreachable()
    queue.watch.begin()
    queue.policy.aboutToAsk()
    for (const reply of [granted({ room: 3 }), granted()]) {
      queue.policy.onReply(first, reply, true)
      expect(queue.policy.knownUntil(first)).toBe(Number.NEGATIVE_INFINITY)
    }
  })

  test('open without a limit (a latch): all ask, and all are woken; closed again, the first', () => {
    const all = waiters(3)
    const [first] = all
    if (!first) return expect.unreachable()
    queue.policy.onReply(first, granted({ room: Number.POSITIVE_INFINITY }), true)
    expect(all.map((waiter) => queue.policy.mayAsk(waiter, undefined))).toEqual([true, true, true])
    queue.policy.wakeNext()
    expect(woken(all)).toEqual([true, true, true])
    queue.policy.onReply(first, { outcome: 'busy', remainingMs: 500, holder: undefined }, true)
    queue.policy.wakeNext()
    expect(woken(all)).toEqual([true, false, false])
  })

  test('O2: when a hold ends whoever may re-enter is woken, and the contender as well', () => {
    const section = within(root('client:9'))
    queue.began(heldBy(section))
    const [contender] = waiters(1)
    const nested = waiterFor(within(section))
    queue.waiters.join(nested)
    if (!contender) return expect.unreachable()
    queue.policy.wakeNext('client:9')
    expect(woken([contender, nested])).toEqual([true, true])
  })
})
