import { beforeEach, describe, expect, test } from 'vitest'
import { LocalQueue } from '../../src/core/queue/local-queue.js'
import type { Waiter } from '../../src/core/queue/waiter.js'
import { lock } from '../../src/kinds/kinds.js'
import { VirtualClock } from '../../src/memory/index.js'
import { heldBy, root, waiterFor, within } from './scenery.js'
import { ScriptedPort, settle } from './scripted-port.js'

let clock: VirtualClock
let port: ScriptedPort
let queue: LocalQueue

beforeEach(() => {
  clock = new VirtualClock()
  port = new ScriptedPort()
  queue = new LocalQueue('lock', { kind: lock, port, schedule: { clock } })
})

/** Puts a waiter to sleep and tells whether it was woken. */
function asleep(waiter: Waiter): { woken: boolean } {
  const state = { woken: false }
  void waiter.sleep(Number.POSITIVE_INFINITY).then(() => {
    state.woken = true
  })
  return state
}

describe('ExclusivePolicy', () => {
  test('W2: all waiters share one watch', () => {
    expect(queue.watch.begin()).toBe(queue.watch.begin())
    expect(port.watches.all).toHaveLength(1)
  })

  test('W1: the watch is in force when it is confirmed', async () => {
    queue.watch.begin()
    expect(queue.watch.inForce).toBe(false)
    port.watches.last.answer()
    await settle()
    expect(queue.watch.inForce).toBe(true)
  })

  test('C2: where watch and attempt travel in order, the watch is in force as soon as it is sent', () => {
    const ordered = new LocalQueue('lock', { kind: lock, port: new ScriptedPort(true), schedule: { clock } })
    expect(ordered.watch.inForce).toBe(false)
    ordered.watch.begin()
    expect(ordered.watch.inForce).toBe(true)
  })

  test('W3: news wakes the contender and nobody else', async () => {
    const [first, second] = [waiterFor(root('client:1')), waiterFor(root('client:2'))]
    queue.waiters.join(first)
    queue.waiters.join(second)
    const sleepers = [asleep(first), asleep(second)]
    queue.watch.begin()
    port.watches.last.request.onNews()
    await settle()
    expect(sleepers).toEqual([{ woken: true }, { woken: false }])
    expect(queue.watch.unreadSignal).toBe(true)
  })

  test('wakeNext: whoever may re-enter, before the contender', async () => {
    const section = within(root('client:1'))
    queue.began(heldBy(section))
    const other = waiterFor(root('client:2'))
    const nested = waiterFor(within(section))
    queue.waiters.join(other)
    queue.waiters.join(nested)
    const sleepers = [asleep(other), asleep(nested)]
    queue.policy.wakeNext()
    await settle()
    expect(sleepers).toEqual([{ woken: false }, { woken: true }])
  })

  test('a watch that fails wakes the contender, which learns the failure once, and the next one is sent anew', async () => {
    const waiter = waiterFor(root('client:1'))
    queue.waiters.join(waiter)
    const sleeper = asleep(waiter)
    queue.watch.begin()
    const failure = new Error('on purpose')
    port.watches.last.fail(failure)
    await settle()
    expect(sleeper.woken).toBe(true)
    expect(queue.watch.inForce).toBe(false)
    expect(queue.watch.takeFailure()).toBe(failure)
    expect(queue.watch.takeFailure()).toBeUndefined()
    queue.watch.begin()
    expect(port.watches.all).toHaveLength(2)
  })

  test('W4: an ended watch is closed; what it is answered later counts for nothing', async () => {
    queue.watch.begin()
    const first = port.watches.last
    queue.watch.end()
    expect(port.closedWatches).toBe(1)
    first.answer()
    await settle()
    expect(queue.watch.inForce).toBe(false)
    queue.watch.begin()
    const second = port.watches.last
    queue.watch.end()
    second.fail(new Error('too late to matter'))
    await settle()
    expect(queue.watch.takeFailure()).toBeUndefined()
    queue.watch.end()
    expect(port.closedWatches).toBe(2)
  })

  /** A watch that is in force, with nothing left that it was news of. */
  async function watchInForce(): Promise<void> {
    queue.watch.begin()
    port.watches.last.answer()
    await settle()
    queue.watch.unreadSignal = false
  }

  test('wakeNext: while the process holds the lock under watch, whoever comes next need not be woken', async () => {
    await watchInForce()
    const tenure = heldBy(root('client:1'))
    queue.began(tenure)
    const waiter = waiterFor(root('client:2'))
    queue.waiters.join(waiter)
    const sleeper = asleep(waiter)
    queue.policy.wakeNext()
    await settle()
    expect(sleeper.woken).toBe(false)
    queue.tenures.ended(tenure)
    queue.policy.wakeNext()
    await settle()
    expect(sleeper.woken).toBe(true)
  })

  test.each([
    { when: 'there is no watch', prepare: async () => queue.watch.end() },
    {
      when: 'there is news',
      prepare: async () => {
        queue.watch.unreadSignal = true
      },
    },
  ])('next: while the process holds the lock, the contender is woken when $when', async ({ prepare }) => {
    await watchInForce()
    await prepare()
    queue.began(heldBy(root('client:1')))
    const waiter = waiterFor(root('client:2'))
    queue.waiters.join(waiter)
    const sleeper = asleep(waiter)
    queue.policy.wakeNext()
    await settle()
    expect(sleeper.woken).toBe(true)
  })
})
