import { describe, expect, test } from 'vitest'
import { WaitQueue } from '../../src/core/queue.js'
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
})
