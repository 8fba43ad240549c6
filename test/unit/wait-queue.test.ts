import { describe, expect, test } from 'vitest'
import { WaitQueue } from '../../src/core/queue/wait-queue.js'
import { heldBy, root, waiterFor, within } from './scenery.js'

describe('WaitQueue', () => {
  test('W3: the contender is the first in line, and the next when that leaves', () => {
    const queue = new WaitQueue()
    const [first, second] = [waiterFor(root('client:1')), waiterFor(root('client:2'))]
    expect(queue.contender(undefined)).toBeUndefined()
    queue.join(first)
    queue.join(second)
    expect(queue.contender(undefined)).toBe(first)
    queue.leave(first)
    expect(queue.contender(undefined)).toBe(second)
    queue.leave(second)
    expect(queue.empty).toBe(true)
  })

  test('W3: while the process holds the lock, waiters of the same owner do not speak for it', () => {
    const queue = new WaitQueue()
    const holder = root('client:1')
    const tenure = heldBy(within(holder))
    const sibling = waiterFor(within(holder))
    const other = waiterFor(root('client:2'))
    queue.join(sibling)
    expect(queue.contender(tenure)).toBeUndefined()
    queue.join(other)
    expect(queue.contender(tenure)).toBe(other)
    expect(queue.contender(undefined)).toBe(sibling)
  })

  test('O2: the first that may re-enter, siblings passed over', () => {
    const queue = new WaitQueue()
    const holder = root('client:1')
    const section = within(holder)
    const tenure = heldBy(section)
    const sibling = waiterFor(within(holder))
    const nested = waiterFor(within(section))
    queue.join(sibling)
    expect(queue.reentrant(tenure)).toBeUndefined()
    queue.join(nested)
    expect(queue.reentrant(tenure)).toBe(nested)
  })

  test('ahead: the same owner’s first waiter, if it came before', () => {
    const queue = new WaitQueue()
    const first = waiterFor(root('client:1'))
    const between = waiterFor(root('client:2'))
    const last = waiterFor(root('client:1'))
    for (const waiter of [first, between, last]) queue.join(waiter)
    expect(queue.ahead(first)).toBeUndefined()
    expect(queue.ahead(between)).toBeUndefined()
    expect(queue.ahead(last)).toBe(first)
  })

  test('W3: whoever leaves, the others keep their order; leaving twice, or without having joined, changes nothing', () => {
    const queue = new WaitQueue()
    const waiters = [1, 2, 3, 4, 5].map((number) => waiterFor(root(`client:${number}`), { unrelated: true }))
    const [first, , middle, , last] = waiters
    for (const waiter of waiters) queue.join(waiter)
    for (const leaver of [middle, first, last, middle, waiterFor(root('client:6'))]) {
      if (leaver) queue.leave(leaver)
    }
    const order: unknown[] = []
    for (let next = queue.contender(undefined); next; next = queue.contender(undefined)) {
      order.push(next.caller.owner)
      queue.leave(next)
    }
    expect(order).toEqual(['client:2', 'client:4'])
    expect(queue.empty).toBe(true)
  })

  test('W3: the heir is the first in line, if it rests; nobody overtakes one that has a command under way', () => {
    const queue = new WaitQueue()
    const [first, second] = [waiterFor(root('client:1')), waiterFor(root('client:2'))]
    expect(queue.successor()).toBeUndefined()
    queue.join(first)
    queue.join(second)
    second.resting = true
    expect(queue.successor()).toBeUndefined()
    first.resting = true
    expect(queue.successor()).toBe(first)
    queue.leave(first)
    expect(queue.successor()).toBe(second)
  })

  test('W3: a call that makes a single attempt is no heir, and does not stand in the way of one', () => {
    const queue = new WaitQueue()
    const single = waiterFor(root('client:1'), { waitMs: 0 })
    const patient = waiterFor(root('client:2'))
    queue.join(single)
    expect(queue.successor()).toBeUndefined()
    queue.join(patient)
    patient.resting = true
    expect(queue.successor()).toBe(patient)
  })

  test('hasOther: whether somebody else waits for the same owner; calls with owners of their own do not count', () => {
    const queue = new WaitQueue()
    const [one, sibling] = [waiterFor(root('client:1')), waiterFor(root('client:1'))]
    const unrelated = waiterFor(root('client:2'), { unrelated: true })
    queue.join(one)
    queue.join(unrelated)
    expect(queue.hasOther(one)).toBe(false)
    expect(queue.hasOther(sibling)).toBe(true)
    expect(queue.hasOther(unrelated)).toBe(false)
    queue.join(sibling)
    expect(queue.hasOther(one)).toBe(true)
    queue.leave(sibling)
    expect(queue.hasOther(one)).toBe(false)
  })
})
