import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { StoreError } from '../../src/index.js'
import { RespProxy } from '../fault/proxy.js'
import { standaloneClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import { blockUntil } from './busy.js'
import { LEASE_MS, Stand } from './stand.js'

let stand: Stand
let proxy: RespProxy

/** Connections of the thread: those that do not come from the stand's own session, which has made one. */
const connections = (): number => proxy.open.length

beforeEach(async () => {
  const { host, port } = inject('servers').standalone
  proxy = await RespProxy.before({ host, port })
})
afterEach(async () => {
  await stand.end()
  await proxy.stop()
})

function make(options = {}): Stand {
  stand = new Stand(standaloneClient({ host: proxy.host, port: proxy.port }), options)
  return stand
}

describe('the watchdog thread', () => {
  test('stops renewing for a main thread that is blocked too long: the lock goes to the next, and main knows at once', async () => {
    // Not through the proxy, which the main thread runs: while that is blocked, no renewal would come through.
    stand = new Stand(standaloneClient(inject('servers').standalone), { maxBlockedMs: LEASE_MS / 3 })
    await stand.start()
    const lease = await stand.hold()
    await stand.hears('renewed')
    blockUntil(() => lease.deadline <= stand.now)
    const next = { name: stand.name, owner: 'next:1', heldBefore: 0, leaseMs: LEASE_MS } as const
    await eventually(async () => (await stand.port.acquire(next)).outcome === 'granted')
    expect(lease.deadline).toBeLessThan(stand.now)
    expect(stand.heard).not.toContain('failed')
  })

  test('that dies is reported; what is watched goes to a new one after a pause', async () => {
    make()
    await stand.start()
    const lease = await stand.hold()
    await stand.hears('renewed')
    await stand.kill()
    await eventually(() => stand.heard.includes('broken'))
    expect(stand.renewals.working).toBe(false)
    expect(stand.causes).toEqual([expect.any(StoreError)])
    // The last deadline the thread wrote still counts.
    expect(lease.deadline).toBeGreaterThan(stand.now)
    stand.heard.length = 0
    await stand.renewHereUntil(lease, () => stand.heard.includes('renewed'))
    expect(stand.renewals.working).toBe(true)
    expect(lease.deadline).toBeGreaterThan(stand.now)
  })

  test('that has nothing to watch when it dies is started again when it is needed', async () => {
    make()
    await stand.start()
    await stand.kill()
    await eventually(() => stand.heard.includes('error'))
    expect(stand.schedule.size).toBe(0)
    expect(stand.renewals.start()).toBeUndefined()
    const lease = await stand.hold()
    await stand.renewHereUntil(lease, () => stand.heard.includes('renewed'))
  })

  test('is gone after close, with its connections', async () => {
    make()
    await stand.start()
    await stand.hold()
    await stand.hears('renewed')
    expect(connections()).toBe(2)
    await stand.renewals.close()
    expect(stand.threadId).toBe(-1)
    await eventually(() => connections() === 1)
    expect(stand.schedule.size).toBe(0)
    expect(stand.heard).not.toContain('broken')
  })

  test('sends nothing for what is not watched any more', async () => {
    make()
    await stand.start()
    const lease = await stand.hold()
    await stand.hears('renewed')
    lease.remove()
    lease.remove()
    expect(stand.renewals.size).toBe(0)
    expect(stand.schedule.size).toBe(0)
    await eventually(async () => (await stand.port.inspect(stand.name)).owners.length === 0)
    expect(stand.heard).not.toContain('lost')
  })

  test('L4: a renewal that fails is told once, tried again, and the lock kept', async () => {
    make()
    await stand.start()
    const lease = await stand.hold()
    await stand.hears('renewed')
    proxy.breakAll()
    await stand.hears('renewed')
    expect(lease.deadline).toBeGreaterThan(stand.now)
    expect(stand.heard).not.toContain('lost')
  })

  test('renews two thousand locks, as many again with memory that is used anew', async () => {
    // Long enough that a busy machine loses none of so many.
    make({ leaseMs: 5_000 })
    await stand.start()
    for (const round of [1, 2]) {
      const names = Array.from({ length: 2_000 }, (_, index) => `${stand.name}:${round}:${index}`)
      const leases = await Promise.all(names.map((name) => stand.hold(name)))
      const granted = leases.map((lease) => lease.deadline)
      await eventually(() => leases.every((lease, index) => lease.deadline > (granted[index] ?? 0)))
      for (const lease of leases) lease.remove()
    }
    expect(stand.heard).not.toContain('lost')
    expect(stand.heard).not.toContain('failed')
  })
})
