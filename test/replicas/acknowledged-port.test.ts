import { expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { Owners } from '../../src/base/identity/owner.js'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { ForwardingPort } from '../../src/port/forwarding.js'
import type { AcquireRequest, BatchPort, LockPort } from '../../src/port/lock-port.js'
import { ReplicaCheckedPort } from '../../src/port/replica-checked.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import { rowSettings } from '../setup/row-settings.js'

const owners = new Owners()
const shortfall = new StoreError('replicas', 'WAIT', { transient: false })
const broken = new StoreError('unreachable', 'WAIT', { transient: true })

/** Asks for several locks one after the other. */
class Together extends ForwardingPort {
  readonly together: BatchPort = {
    placeOf: () => 0,
    acquireAll: (requests) => Promise.all(requests.map((each) => this.port.acquire(each))),
    acquireOne: (requests) => Promise.all(requests.map((each) => this.port.acquire(each))),
  }
}

interface Stage {
  readonly port: LockPort
  readonly acknowledged: ReplicaCheckedPort
}

/** A port whose acknowledgements come to that. */
function stage(acknowledge: (port: LockPort, name: string) => Promise<boolean>): Stage {
  const clock = new VirtualClock()
  const port = new Together(new RowStoreSession(new MemoryRows(clock), rowSettings(clock)).lock)
  const acknowledging = {
    renew: (requests: Parameters<LockPort['renew']>[0]) =>
      requests.map(({ name }) => acknowledge(port, name)),
  }
  return { port, acknowledged: new ReplicaCheckedPort(port, acknowledging) }
}

function request(name: string, heldBefore = 0, owner = owners.next()): AcquireRequest {
  return { name, owner, heldBefore, leaseMs: 60_000 }
}

test('redisson#4646, #4154: a nested hold that falls short is given back; the outer one stays', async () => {
  const { port, acknowledged } = stage(() => Promise.reject(shortfall))
  const outer = request('a')
  await port.acquire(outer)
  expect(await rejectionOf(acknowledged.acquire({ ...outer, heldBefore: 1 }))).toBe(shortfall)
  expect(await port.inspect('a')).toMatchObject({ owners: [{ owner: outer.owner, holds: 1 }] })
})

test('an unknown outcome is left to whoever asked', async () => {
  const { port, acknowledged } = stage(() => Promise.reject(broken))
  const asked = request('a')
  expect(await rejectionOf(acknowledged.acquire(asked))).toBe(broken)
  expect((await port.inspect('a')).owners).toHaveLength(1)
  await acknowledged.abandon(asked)
  expect((await port.inspect('a')).owners).toEqual([])
})

test('a server that does not know the hold: lost where there was one, transient where it is the first', async () => {
  const { acknowledged } = stage(async (port, name) => {
    await port.forceUnlock(name)
    return false
  })
  expect(await rejectionOf(acknowledged.acquire(request('a')))).toMatchObject({
    reason: 'not-ready',
    transient: true,
  })
  const { port, acknowledged: other } = stage(async () => false)
  const outer = request('b')
  await port.acquire(outer)
  expect(await other.acquire({ ...outer, heldBefore: 1 })).toEqual({ outcome: 'lost' })
})

test('several at once: one that falls short, and none is held', async () => {
  const { port, acknowledged } = stage(async (_, name) => {
    if (name === 'b') throw shortfall
    return true
  })
  const { together } = acknowledged
  if (!together) throw new Error('plain locks can be asked for together')
  expect(await rejectionOf(together.acquireAll(['a', 'b', 'c'].map((name) => request(name))))).toBe(shortfall)
  for (const name of ['a', 'b', 'c']) expect((await port.inspect(name)).owners).toEqual([])
  const replies = await together.acquireAll(['a', 'c'].map((name) => request(name)))
  expect(replies.map(({ outcome }) => outcome)).toEqual(['granted', 'granted'])
})

test('several at once: those that were busy are not asked about', async () => {
  const asked: string[] = []
  const { port, acknowledged } = stage(async (_, name) => {
    asked.push(name)
    return true
  })
  await port.acquire(request('b'))
  const replies = await acknowledged.together?.acquireOne(['b', 'a'].map((name) => request(name)))
  expect(replies?.map(({ outcome }) => outcome)).toEqual(['busy', 'granted'])
  expect(asked).toEqual(['a'])
})

test('a hand-over that falls short leaves its outcome to whoever asked, and undoing it frees the lock', async () => {
  const { port, acknowledged } = stage(() => Promise.reject(shortfall))
  const first = request('a')
  await port.acquire(first)
  const next = { ...request('a'), from: first.owner }
  expect(await rejectionOf(acknowledged.handOver(next))).toMatchObject({
    reason: 'replicas',
    transient: true,
  })
  await acknowledged.abandon(next)
  expect((await port.inspect('a')).owners).toEqual([])
})
