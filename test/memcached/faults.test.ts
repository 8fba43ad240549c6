/** What becomes of locks when replies are lost, servers hang, restart, forget. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { defaultLabel, newClientId } from '../../src/base/identity/label.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { LockLostError, LockTimeoutError, StoreError } from '../../src/index.js'
import { keyOf } from '../../src/stores/memcached/key.js'
import { MemcachedServer } from '../servers/memcached.js'
import { freePort } from '../servers/port.js'
import { until } from '../servers/until.js'
import { lasting } from '../setup/lasting.js'
import { Wire } from '../wire/wire.js'
import { raw } from './raw.js'
import { open, ownerAt } from './scene.js'

let server: MemcachedServer
let wire: Wire
// Clients are closed before what they speak to.
beforeEach(async () => {
  server = await MemcachedServer.start()
  onTestFinished(() => server.stop())
  wire = await Wire.before(server)
  onTestFinished(() => wire.stop())
})

describe('a reply is lost', () => {
  test('W4: to an acquire whose call leaves: nothing is left behind', async () => {
    const [holdfast, other] = [open(wire, { commandTimeoutMs: lasting(300) }), open(server)]
    await holdfast.lock('warm').withLock(() => undefined)
    const name = randomUUID()
    wire.silence('down')
    // Long enough to be seen before it is given back.
    const refusal = rejectionOf(holdfast.lock(name).acquire({ waitMs: 1_500 }))
    await until(() => ownerAt(server, name), { what: 'it was carried out' })
    expect(await refusal).toBeInstanceOf(LockTimeoutError)
    wire.heal('lost')
    await (await other.lock(name).acquire({ waitMs: 10_000 })).release()
  })
})

test('a server that keeps no versions of items is told', async () => {
  const without = await MemcachedServer.start({ args: ['-C'] })
  onTestFinished(() => without.stop())
  const hint = expect.stringContaining('start it without -C')
  await expect(open(without).lock('a').acquire()).rejects.toMatchObject({ transient: false, message: hint })
})

describe('a server hangs', () => {
  test('C3: a command fails in time, and those after it go on when the server does', async () => {
    const holdfast = open(server, { commandTimeoutMs: lasting(200) })
    await holdfast.lock('warm').withLock(() => undefined)
    await server.pause()
    const error = await rejectionOf(holdfast.lock(randomUUID()).tryAcquire())
    expect(error).toBeInstanceOf(StoreError)
    expect(error).toMatchObject({ reason: 'timeout', transient: true })
    await server.resume()
    await until(() => holdfast.lock(randomUUID()).withLock(() => true), { what: 'it works again' })
  })

  test('L3: a holder knows by its own clock that its lease has ended', async () => {
    const holdfast = open(server, { watchdogMs: lasting(1_000), commandTimeoutMs: lasting(200) })
    const hold = await holdfast.lock(randomUUID()).acquire()
    await server.pause()
    await until(() => hold.signal.aborted, { what: 'it knows' })
    expect(hold.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'lease-expired' })
    await server.resume()
  })
})

test('each call to a server that is away says what it asked, and for which lock, though one connection was to carry both', async () => {
  const holdfast = open({ host: '127.0.0.1', port: await freePort() }, { storeTimeoutMs: 50 })
  const first = holdfast.lock('first').tryAcquire()
  const second = holdfast.lock('second').isLocked()
  expect(await rejectionOf(first)).toMatchObject({ command: 'acquire', lockName: 'first' })
  expect(await rejectionOf(second)).toMatchObject({ command: 'inspect', lockName: 'second' })
})

describe('a server forgets', () => {
  test.each<[string, (name: string) => Promise<unknown>]>([
    ['a restart', () => server.restart()],
    ['flush_all', () => raw(server, 'flush_all')],
    ['an operator’s delete', (name) => raw(server, `delete ${keyOf(name)}`)],
  ])(
    'L4: %s: others get the lock at once, and the holder learns of it with its next renewal',
    async (_, forget) => {
      const [holdfast, other] = [open(server, { watchdogMs: 6_000 }), open(server)]
      const lock = holdfast.lock(randomUUID())
      const hold = await lock.acquire()
      await forget(lock.name)
      hold.assertHeld()
      const next = await other.lock(lock.name).acquire()
      // Two believe that they have it: this store is for efficiency.
      hold.assertHeld()
      await until(() => hold.signal.aborted, { what: 'the holder learns of it' })
      expect(hold.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'not-in-store' })
      next.assertHeld()
      await next.release()
    },
  )

  test('L6: after a restart versions come again; a late release touches nothing of the new owner’s', async () => {
    const [one, other] = [open(server), open(server)]
    const name = randomUUID()
    const version = (): Promise<string> => raw(server, `mg ${keyOf(name)} c`)
    const before = await one.lock(name).acquire()
    const first = await version()
    await server.restart()
    const next = await other.lock(name).acquire()
    // Each was the first item of its server.
    expect(first).toMatch(/^HD c\d+\r\n/)
    expect(await version()).toBe(first)
    expect(await rejectionOf(before.release())).toBeInstanceOf(LockLostError)
    expect(await ownerAt(server, name)).toBe(next.owner)
    await next.release()
    expect(await ownerAt(server, name)).toBeUndefined()
  })
})

describe('a server is full', () => {
  let small: MemcachedServer
  let filled = 0
  afterEach(() => small.stop())

  /** Adds items of the size of a lock's, each with a key of its own. */
  const fill = async (): Promise<string> => {
    const value = `${newClientId(defaultLabel())}:1`
    const items = Array.from({ length: 5_000 }, (_, index) => {
      const key = `holdfast:lock:${String(filled + index).padStart(36, '0')}`
      return `ms ${key} ${value.length}\r\n${value}`
    })
    filled += items.length
    return await raw(small, ...items)
  }

  test('and evicts: a lock is gone though its holder lives, and others get it', async () => {
    small = await MemcachedServer.start({ args: ['-m', '2'] })
    const [holdfast, other] = [open(small, { watchdogMs: 600_000 }), open(small)]
    const lock = holdfast.lock(randomUUID())
    const hold = await lock.acquire()
    // Asked as an operator does: to read it would keep it.
    const gone = async (): Promise<boolean> => (await raw(small, `me ${keyOf(lock.name)}`)).startsWith('EN')
    await until(async () => (await fill()) && (await gone()), { what: 'the lock is evicted' })
    hold.assertHeld()
    const next = await other.lock(lock.name).acquire()
    expect(await rejectionOf(hold.release())).toBeInstanceOf(LockLostError)
    next.assertHeld()
    await next.release()
  })

  test('and does not evict (-M): an error that says what to do', async () => {
    small = await MemcachedServer.start({ args: ['-m', '2', '-M'] })
    await until(async () => (await fill()).includes('out of memory'), { what: 'there is no room' })
    const error = await rejectionOf(open(small).lock(randomUUID()).tryAcquire())
    expect(error).toBeInstanceOf(StoreError)
    expect(error).toMatchObject({ reason: 'out-of-memory', message: expect.stringContaining('-m') })
  })
})
