/** A store that finds out by itself what has become of its client's locks: a session that ends, an entry that somebody removed. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { type AcquireOptions, type Hold, Holdfast, StoreError } from '../../src/index.js'
import type { StoreLoss, StoreSettings } from '../../src/port/store.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { GRANTED, ScriptedPort, settle } from './scripted-port.js'

let clock: VirtualClock
let port: ScriptedPort
let readers: ScriptedPort
let told: unknown[]
let holdfast: Holdfast
let tellLoss: (loss: StoreLoss) => void
let suspend: (cause: unknown) => void
let tellError: (error: unknown) => void

beforeEach(() => {
  clock = new VirtualClock()
  port = new ScriptedPort()
  readers = new ScriptedPort()
  told = []
  holdfast = new Holdfast({
    clock,
    open: ({ onError, onLost, onSuspended }: StoreSettings) => {
      tellError = onError
      tellLoss = (loss) => onLost?.(loss)
      suspend = (cause) => onSuspended?.(cause)
      return { lock: port, spinLock: readers, close: async () => undefined }
    },
  })
  holdfast.on('lost', ({ name, reason, cause }) => told.push(['lost', name, reason, cause]))
  holdfast.on('suspended', ({ name, cause }) => told.push(['suspended', name, cause]))
})
afterEach(() => holdfast.close())

async function held(name: string, options: AcquireOptions = {}): Promise<Hold> {
  const hold = holdfast.lock(name).acquire(options)
  await settle()
  port.acquires.last.answer(GRANTED)
  return await hold
}

test('faults B18: what breaks because the client closes its connections is no event', async () => {
  const errors = journalOf(holdfast, 'error')
  const broken = new StoreError('unreachable', 'watch', { transient: false, hint: 'The client was closed.' })
  tellError(broken)
  await holdfast.close()
  tellError(broken)
  expect(errors).toEqual([broken])
})

test('faults A2: what a store tells of a client library’s error carries nothing of the connection', () => {
  const errors = journalOf(holdfast, 'error')
  tellError(Object.assign(new Error('refused'), { command: { name: 'auth', args: ['a password'] } }))
  expect(errors).toEqual([expect.objectContaining({ message: 'refused' })])
  expect(errors[0]).not.toHaveProperty('command')
})

const ENDED = { keyspace: 'lock', reason: 'session-ended', cause: 'too late' } as const

test('a lock that the store has let go of is lost at once, and no other', async () => {
  const one = await held('one')
  const other = await held('other')
  tellLoss({ ...ENDED, name: 'one', owner: one.owner })
  expect(one.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'session-ended', cause: 'too late' })
  expect(other.signal.aborted).toBe(false)
  expect(told).toEqual([['lost', 'one', 'session-ended', 'too late']])
  expect(holdfast.metrics().lost['session-ended']).toBe(1)
  await expect(one.release()).rejects.toMatchObject({ code: 'LOCK_LOST' })
})

test('a loss in another keyspace, or of another owner, changes nothing; one that is told twice counts once', async () => {
  const { owner, signal } = await held('lock')
  tellLoss({ ...ENDED, name: 'lock', owner, keyspace: 'read-write' })
  tellLoss({ ...ENDED, name: 'lock', owner: 'other:1' })
  expect(signal.aborted).toBe(false)
  for (let time = 0; time < 2; time += 1) tellLoss({ ...ENDED, name: 'lock', owner })
  expect(told).toHaveLength(1)
})

test('while a release is under way its own answer decides', async () => {
  const hold = await held('lock')
  const release = hold.release()
  await settle()
  tellLoss({ ...ENDED, name: 'lock', owner: hold.owner, reason: 'not-in-store' })
  port.releases.last.answer('released')
  await release
  expect(told).toEqual([])
})

test('L3: where the store tells of it before a late timer does, a lease that is over has run out', async () => {
  const hold = await held('leased', { leaseMs: 10_000 })
  clock.skip(10_000)
  tellLoss({ keyspace: 'lock', name: 'leased', owner: hold.owner, reason: 'not-in-store' })
  expect(hold.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'lease-expired' })
  expect(told).toEqual([['lost', 'leased', 'lease-expired', undefined]])
})

test.each<[what: string, ask: (hold: Hold) => unknown, answer: () => void]>([
  ['a renewal', () => clock.advance(10_000), () => port.renewals.last.answer(false)],
  [
    'one hold more',
    ({ owner }) => holdfast.lock('lock').acquire({ owner }),
    () => port.acquires.last.answer({ outcome: 'lost' }),
  ],
  [
    'a look, after news',
    async () => {
      void holdfast.lock('lock').acquire()
      await settle()
      port.watches.last.answer()
      port.watches.last.request.onNews()
    },
    () => port.inspections.last.answer({ name: 'lock', owners: [], remainingMs: 0 }),
  ],
  [
    'a tie',
    (hold) => hold.confirm({ query: () => undefined }).catch(() => undefined),
    () => port.ties.last.answer(false),
  ],
  ['forcing it open', () => holdfast.lock('lock').forceUnlock(), () => port.forces.last.answer(true)],
])('L3: what %s shows when the lease is over is that it has run out', async (_, ask, answer) => {
  void ask(await held('lock'))
  await settle()
  clock.skip(30_000)
  answer()
  await settle()
  // Whoever still asks is let in.
  for (const sent of port.acquires.all) sent.answer(GRANTED)
  expect(told).toEqual([['lost', 'lock', 'lease-expired', undefined]])
})

test('L3: so it is for one hold less, and its release says the same', async () => {
  const { owner } = await held('lock')
  const release = rejectionOf((await held('lock', { owner })).release())
  await settle()
  clock.skip(30_000)
  port.releases.last.answer('not-owner')
  expect(await release).toMatchObject({ code: 'LOCK_LOST', reason: 'lease-expired' })
  expect(told).toEqual([['lost', 'lock', 'lease-expired', undefined]])
})

test('a connection that is gone suspends what is renewed, once', async () => {
  await held('watched')
  await held('leased', { leaseMs: 10_000 })
  suspend('gone')
  suspend('gone still')
  expect(told).toEqual([['suspended', 'watched', 'gone']])
  expect(holdfast.metrics().renewalFailures).toBe(0)
})
