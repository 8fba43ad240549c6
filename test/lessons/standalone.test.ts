/** What others' locks got wrong on one server that does not fail: renewals, leases, names, and the clients they were given. */
import { afterEach, expect, inject, onTestFinished, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { Holdfast, type Lock } from '../../src/index.js'
import { clientLibraries, standaloneClient } from '../setup/clients.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

test('redisson#6844: whatever comes and goes at the same time, what stays is renewed', async () => {
  const holdfast = place.holdfast({ watchdogMs: place.lease(2_400) })
  const lost = journalOf(holdfast, 'lost')
  const names = Array.from({ length: 20 }, () => place.lockName())
  const renewals = new Map<string, number>()
  // Each name is let go of and taken again by many, all at once, and in the end kept by one.
  const kept = await Promise.all(
    names.map(async (name) => {
      const lock = holdfast.lock(name)
      await Promise.all(Array.from({ length: 10 }, () => lock.withLock(() => undefined)))
      const keeper = lock.acquire()
      const others = await Promise.all(Array.from({ length: 5 }, () => lock.tryAcquire()))
      for (const other of others) await other?.release()
      return await keeper
    }),
  )
  holdfast.on('renewed', ({ name }) => renewals.set(name, (renewals.get(name) ?? 0) + 1))
  await place.eventually(() => names.every((name) => (renewals.get(name) ?? 0) >= 5))
  for (const hold of kept) hold.assertHeld()
  expect(lost).toEqual([])
  for (const hold of kept) await hold.release()
  expect(holdfast.census.watched).toBe(0)
})

test('redis-semaphore#205: a renewal that meets the release is no loss', async () => {
  const watchdogMs = place.lease(1_500)
  const holdfast = place.holdfast({ watchdogMs })
  const lost = journalOf(holdfast, 'lost')
  const renewals = journalOf(holdfast, 'renewed')
  const names = Array.from({ length: 40 }, () => place.lockName())
  await Promise.all(
    names.map(async (name, index) => {
      for (let round = 0; round < 3; round += 1) {
        await holdfast.lock(name).withLock(() => place.pass(watchdogMs / 3 - 15 + ((index + round) % 40)))
      }
    }),
  )
  expect(lost).toEqual([])
  expect(renewals.length).toBeGreaterThan(0)
  expect(holdfast.census.tenures).toBe(0)
})

/** Blocks the event loop, as a debugger's breakpoint or a long computation does. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test('BullMQ#3183: a loop that is blocked for less than the lease loses nothing', async () => {
  const holdfast = place.holdfast({ watchdogMs: 3_000 })
  const hold = await holdfast.lock(place.lockName()).acquire()
  const renewals = journalOf(holdfast, 'renewed')
  for (let times = 0; times < 4; times += 1) {
    block(800)
    await place.eventually(() => renewals.length > times)
    hold.assertHeld()
  }
  await hold.release()
})

test.each([
  ['acquire', (lock: Lock) => lock.acquire({ waitMs: 50 })],
  ['tryAcquire', (lock: Lock) => lock.tryAcquire()],
  ['isLocked', (lock: Lock) => lock.isLocked()],
])(
  'BullMQ#3056: a reply that was there in time counts, however late the event loop gets to it: %s',
  async (_, ask) => {
    const holdfast = place.holdfast({ commandTimeoutMs: 200 })
    await holdfast.lock(place.lockName()).withLock(() => undefined)
    await holdfast.lock(place.lockName()).isLocked()
    const asking = ask(holdfast.lock(place.lockName()))
    // Everything is sent that is to be sent: no turn of the loop is needed for that.
    for (let step = 0; step < 50; step += 1) await Promise.resolve()
    block(600)
    const answer = await asking
    if (typeof answer === 'boolean') return expect(answer).toBe(false)
    answer?.assertHeld()
    await answer?.release()
  },
)

test('redisson#6759, #4708, #6071: everything is derived from one name: prefix, key and channel agree', async () => {
  const prefix = `${place.lockName()}:prefix:`
  const key = `${prefix}name`
  const plain = place.client()
  const prefixed = new Holdfast(standaloneClient({ ...inject('servers').standalone, keyPrefix: prefix }))
  onTestFinished(() => prefixed.close())
  // The same lock, named with the prefix by one and by the client's settings by the other.
  const [lock, far] = [prefixed.lock('name'), place.holdfast().lock(key)]
  const hold = await lock.acquire({ leaseMs: 600_000 })
  expect(await plain.call('HGET', key, hold.owner)).toBe('1')
  expect(await far.tryAcquire()).toBeNull()
  const waiting = far.acquire({ leaseMs: 600_000 })
  await place.eventually(() => lock.countWaitingClients())
  const channel = `redisson_lock__channel:{${key}}`
  expect(await plain.call('PUBSUB', 'NUMSUB', channel)).toEqual([channel, 1])
  await hold.release()
  const theirs = await waiting
  const back = lock.acquire()
  await place.eventually(() => far.countWaitingClients())
  await theirs.release()
  await (await back).release()
})

test.each(clientLibraries)(
  'node-redlock#160, #310, #277, redis-semaphore#25: %s: excludes, waits, wakes and renews',
  async (library) => {
    const name = place.lockName()
    const client = standaloneClient({ ...inject('servers').standalone }, library)
    const holdfast = new Holdfast(client, { watchdogMs: place.lease(1_800) })
    const other = place.holdfast()
    const renewals = journalOf(holdfast, 'renewed')
    onTestFinished(async () => {
      await holdfast.close()
      client.disconnect()
    })
    const hold = await holdfast.lock(name).acquire()
    expect(await other.lock(name).tryAcquire()).toBeNull()
    await place.eventually(() => renewals.length >= 4)
    hold.assertHeld()
    const theirs = other.lock(name).acquire({ leaseMs: 600_000 })
    await place.eventually(() => other.lock(name).countWaitingClients())
    await hold.release()
    const mine = holdfast.lock(name).withLock((back) => back.name)
    await place.eventually(() => other.lock(name).countWaitingClients())
    await (await theirs).release()
    expect(await mine).toBe(name)
  },
)
