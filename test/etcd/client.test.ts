import { describe, expect, onTestFinished, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import type { EtcdClient } from '../../src/stores/etcd/client/client.js'
import { prefixSpan } from '../../src/stores/etcd/client/requests.js'
import { Watches } from '../../src/stores/etcd/client/watches.js'
import { Leases } from '../../src/stores/etcd/leases.js'
import { EtcdServer } from '../servers/etcd/index.js'
import { freePort } from '../servers/port.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { clientOf, wireTo } from './scene.js'

const about = { command: 'test' }
const text = (value: string): Buffer => Buffer.from(value)

const server = duringAll(() => EtcdServer.start())

const client = (...[servers = [server], terms]: Partial<Parameters<typeof clientOf>>): EtcdClient =>
  clientOf(servers, terms).client

async function put(etcd: EtcdClient, key: string, value = ''): Promise<void> {
  await etcd.txn({ when: [], ifSo: [{ put: { key: text(key), value: text(value), lease: 0n } }] }, about)
}

/** All values of that key: one, or none. */
async function valuesOf(etcd: EtcdClient, key: string): Promise<string[]> {
  return (await etcd.range({ key: text(key) }, about)).entries.map(({ value }) => String(value))
}

describe('commands', () => {
  test('keys, values and leases of any size and of any bytes come back as they were', async () => {
    const etcd = client()
    const key = Buffer.concat([text('any/'), Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))])
    const value = Buffer.alloc(300_000, 'é\0')
    const { id } = await etcd.leaseGrant(60, about)
    await etcd.txn({ when: [], ifSo: [{ put: { key, value, lease: id } }] }, about)
    const { entries } = await etcd.range({ key }, about)
    expect(entries).toEqual([expect.objectContaining({ key, value, lease: id })])
    await etcd.leaseRevoke(id, about)
    expect((await etcd.range({ key }, about)).entries).toEqual([])
  })

  test('a range is limited, and says that there is more; it may be without values', async () => {
    const etcd = client()
    for (const each of ['1', '2', '3']) await put(etcd, `page/${each}`, 'value')
    const span = prefixSpan(text('page/'))
    const { entries, more } = await etcd.range({ ...span, limit: 2, keysOnly: true }, about)
    expect(entries.map(({ key, value }) => `${key}${value}`)).toEqual(['page/1', 'page/2'])
    expect(more).toBe(true)
    expect((await etcd.range(span, about)).more).toBe(false)
  })

  test('what etcd refuses is a StoreError that says why', async () => {
    expect(await rejectionOf(client().leaseRevoke(4711n, about))).toMatchObject({
      reason: 'unknown',
      transient: false,
      command: 'test',
      message: expect.stringContaining('requested lease not found'),
    })
  })
})

test('L3: a session counts on less time than etcd gives it, and on as much as was asked for', async () => {
  const etcd = client()
  const leases = new Leases(etcd)
  const { session, aliveMs } = await leases.begin(2_000)
  onTestFinished(() => leases.revoke(BigInt(session)))
  expect(aliveMs).toBeGreaterThanOrEqual(2_000)
  // Granted in whole seconds.
  expect(aliveMs).toBeLessThan(3_000)
})

test.each([1_700_000, 3_000_000])(
  'faults B18: a request of %i bytes is refused for good, and the error says what to do',
  async (size) => {
    const message = expect.stringContaining('max-request-bytes')
    const refusal = { transient: false, reason: 'unknown', message }
    expect(await rejectionOf(put(client(), 'large', 'x'.repeat(size)))).toMatchObject(refusal)
  },
)

describe('watches', () => {
  /** A watch of a key tells `begun KEY` and `ended KEY`. */
  function watches(servers = [server] as Parameters<typeof clientOf>[0], timeoutMs = 3_000) {
    const { client: etcd } = clientOf(servers, { timeoutMs })
    const breaks: unknown[] = []
    const all = new Watches(etcd, (error) => breaks.push(error))
    onTestFinished(() => all.close())
    const told: string[] = []
    const watch = (key: string): void => {
      const listener = { begun: () => told.push(`begun ${key}`), ended: () => told.push(`ended ${key}`) }
      all.watch({ key: text(key) }, listener)
    }
    const remove = (key: string) => etcd.deleteRange({ key: text(key) }, about)
    return { etcd, all, breaks, told, watch, remove }
  }

  test('a watch tells of the end of its key, not of other changes and not of other keys', async () => {
    const { etcd, told, watch, remove } = watches()
    for (const key of ['watched/1', 'watched/2']) {
      await put(etcd, key)
      watch(key)
    }
    await eventually(() => told.length === 2)
    await put(etcd, 'watched/1', 'changed')
    await remove('watched/10')
    await remove('watched/2')
    await eventually(() => told.length === 3)
    await remove('watched/1')
    await eventually(() => told.length === 4)
    expect(told.slice(2)).toEqual(['ended watched/2', 'ended watched/1'])
  })

  test('a watch begins at a revision that is not before any answer so far, and one that was closed tells nothing', async () => {
    const { etcd, all, remove } = watches()
    const change = { put: { key: text('w'), value: text(''), lease: 0n } }
    const { revision } = await etcd.txn({ when: [], ifSo: [change] }, about)
    const begun: bigint[] = []
    const told: string[] = []
    const watch = (who: string) =>
      all.watch({ key: text('w') }, { begun: (at) => begun.push(at), ended: () => told.push(who) })
    const close = watch('closed one')
    watch('other')
    await eventually(() => begun.length === 2)
    for (const at of begun) expect(at).toBeGreaterThanOrEqual(revision)
    close()
    await remove('w')
    await eventually(() => told.length > 0)
    expect(told).toEqual(['other'])
  })

  test('W7: after a break all watches begin anew, on whichever server answers', async () => {
    const { wire, url } = await wireTo(server)
    const { etcd, breaks, told, watch, remove } = watches([{ url }, server])
    for (const key of ['x', 'y']) watch(key)
    await eventually(() => told.length === 2)
    await put(etcd, 'y')
    wire.refuse()
    wire.breakAll()
    await eventually(() => told.length === 4)
    expect(breaks).toHaveLength(1)
    await remove('y')
    await eventually(() => told.includes('ended y'))
    expect(told).toEqual(['begun x', 'begun y', 'begun x', 'begun y', 'ended y'])
  })

  test('W7: a server that accepts a watch and does not answer is left for the next', async () => {
    const { wire, url } = await wireTo(server)
    const { etcd, told, watch, remove } = watches([{ url }, server], lasting(300))
    await put(etcd, 'hung')
    wire.silence('down')
    watch('hung')
    await eventually(() => told.length === 1)
    await remove('hung')
    await eventually(() => told.includes('ended hung'))
  })
})

describe('servers that do not do what they should', () => {
  test('the next one is asked within the same command, where nobody listens', async () => {
    const nobody = { url: `http://127.0.0.1:${await freePort()}` }
    const etcd = client([nobody, nobody, server])
    await put(etcd, 'next')
    expect(await valuesOf(etcd, 'next')).toEqual([''])
  })

  test('C3: where nobody answers at all it is a transient StoreError that says why', async () => {
    const etcd = client([{ url: `http://127.0.0.1:${await freePort()}` }])
    const message = expect.stringContaining('ECONNREFUSED')
    const failure = { reason: 'unreachable', transient: true, message }
    expect(await rejectionOf(valuesOf(etcd, 'a'))).toMatchObject(failure)
  })

  test('C3: a server that falls silent is given up in time, with an outcome that nobody knows; the next command goes elsewhere', async () => {
    const [{ wire, url }, other] = [await wireTo(server), await wireTo(server)]
    // Otherwise it may have left the first one already, for a connection that took long.
    other.wire.refuse()
    const etcd = client([{ url }, other], { timeoutMs: lasting(1_000) })
    await put(etcd, 'silent')
    wire.silence('down')
    const error = await rejectionOf(put(etcd, 'silent', 'written'))
    expect(error).toMatchObject({ reason: 'timeout', transient: true })
    other.wire.heal()
    expect(await valuesOf(etcd, 'silent')).toEqual(['written'])
  })

  test('a connection that breaks while a command is under way is no refusal: the outcome is unknown', async () => {
    const { wire, url } = await wireTo(server)
    const etcd = client([{ url }])
    await put(etcd, 'broken')
    wire.silence('down')
    const failing = rejectionOf(put(etcd, 'broken', 'written'))
    const direct = client()
    await eventually(async () => (await valuesOf(direct, 'broken')).includes('written'))
    wire.breakAll()
    expect(await failing).toMatchObject({ reason: 'unreachable', transient: true })
  })
})

describe('closing', () => {
  test('it rejects what is under way and all that comes, and ends the connection', async () => {
    const { wire, url } = await wireTo(server)
    const { client: etcd, schedule } = clientOf([{ url }])
    await put(etcd, 'closing')
    wire.silence('down')
    const pending = rejectionOf(valuesOf(etcd, 'closing'))
    etcd.close()
    expect(await pending).toMatchObject({ transient: false, message: expect.stringContaining('closed') })
    expect(await rejectionOf(valuesOf(etcd, 'closing'))).toMatchObject({ transient: false })
    expect(schedule.size).toBe(0)
    wire.heal('delivered')
    await eventually(() => wire.open.length === 0)
  })
})
