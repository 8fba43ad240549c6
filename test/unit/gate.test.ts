import { beforeEach, describe, expect, test } from 'vitest'
import { Gate } from '../../src/core/queue/gate.js'
import type { Waiter } from '../../src/core/queue/waiter.js'
import { VirtualClock } from '../../src/memory/index.js'
import { heldBy, root, waiterFor, within } from './scenery.js'
import { ScriptedPort, settle } from './scripted-port.js'

let clock: VirtualClock
let port: ScriptedPort
let gate: Gate

beforeEach(() => {
  clock = new VirtualClock()
  port = new ScriptedPort()
  gate = new Gate('lock', port, clock)
})

/** Puts a waiter to sleep and tells whether it was woken. */
function asleep(waiter: Waiter): { woken: boolean } {
  const state = { woken: false }
  void waiter.sleep(Number.POSITIVE_INFINITY).then(() => {
    state.woken = true
  })
  return state
}

describe('Gate', () => {
  test('W2: all waiters share one watch', () => {
    expect(gate.beginWatch()).toBe(gate.beginWatch())
    expect(port.watches.all).toHaveLength(1)
  })

  test('W1: the watch is in force when it is confirmed', async () => {
    gate.beginWatch()
    expect(gate.watched).toBe(false)
    port.watches.last.answer()
    await settle()
    expect(gate.watched).toBe(true)
  })

  test('C2: where watch and attempt travel in order, the watch is in force as soon as it is sent', () => {
    const ordered = new Gate('lock', new ScriptedPort(true), clock)
    expect(ordered.watched).toBe(false)
    ordered.beginWatch()
    expect(ordered.watched).toBe(true)
  })

  test('W3: news wakes the contender and nobody else', async () => {
    const [first, second] = [waiterFor(root('client:1')), waiterFor(root('client:2'))]
    gate.queue.join(first)
    gate.queue.join(second)
    const sleepers = [asleep(first), asleep(second)]
    gate.beginWatch()
    port.watches.last.request.onNews()
    await settle()
    expect(sleepers).toEqual([{ woken: true }, { woken: false }])
    expect(gate.news).toBe(true)
  })

  test('next: whoever may re-enter, before the contender', async () => {
    const section = within(root('client:1'))
    gate.tenure = heldBy(section)
    const other = waiterFor(root('client:2'))
    const nested = waiterFor(within(section))
    gate.queue.join(other)
    gate.queue.join(nested)
    const sleepers = [asleep(other), asleep(nested)]
    gate.next()
    await settle()
    expect(sleepers).toEqual([{ woken: false }, { woken: true }])
  })

  test('a watch that fails wakes the contender, which learns the failure once, and the next one is sent anew', async () => {
    const waiter = waiterFor(root('client:1'))
    gate.queue.join(waiter)
    const sleeper = asleep(waiter)
    gate.beginWatch()
    const failure = new Error('on purpose')
    port.watches.last.fail(failure)
    await settle()
    expect(sleeper.woken).toBe(true)
    expect(gate.watched).toBe(false)
    expect(gate.takeWatchFailure()).toBe(failure)
    expect(gate.takeWatchFailure()).toBeUndefined()
    gate.beginWatch()
    expect(port.watches.all).toHaveLength(2)
  })

  test('W4: an ended watch is closed; what it is answered later counts for nothing', async () => {
    gate.beginWatch()
    const first = port.watches.last
    gate.endWatch()
    expect(port.closedWatches).toBe(1)
    first.answer()
    await settle()
    expect(gate.watched).toBe(false)
    gate.beginWatch()
    const second = port.watches.last
    gate.endWatch()
    second.fail(new Error('too late to matter'))
    await settle()
    expect(gate.takeWatchFailure()).toBeUndefined()
    gate.endWatch()
    expect(port.closedWatches).toBe(2)
  })

  /** A watch that is in force, with nothing left that it was news of. */
  async function watchInForce(): Promise<void> {
    gate.beginWatch()
    port.watches.last.answer()
    await settle()
    gate.news = false
  }

  test('next: while the process holds the lock under watch, whoever comes next need not be woken', async () => {
    await watchInForce()
    gate.tenure = heldBy(root('client:1'))
    const waiter = waiterFor(root('client:2'))
    gate.queue.join(waiter)
    const sleeper = asleep(waiter)
    gate.next()
    await settle()
    expect(sleeper.woken).toBe(false)
    gate.tenure = undefined
    gate.next()
    await settle()
    expect(sleeper.woken).toBe(true)
  })

  test.each([
    { when: 'there is no watch', prepare: async () => gate.endWatch() },
    {
      when: 'there is news',
      prepare: async () => {
        gate.news = true
      },
    },
  ])('next: while the process holds the lock, the contender is woken when $when', async ({ prepare }) => {
    await watchInForce()
    await prepare()
    gate.tenure = heldBy(root('client:1'))
    const waiter = waiterFor(root('client:2'))
    gate.queue.join(waiter)
    const sleeper = asleep(waiter)
    gate.next()
    await settle()
    expect(sleeper.woken).toBe(true)
  })
})
