/** Several servers: each lock is on one of them. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StoreError } from '../../src/index.js'
import { keyOf } from '../../src/stores/memcached/key.js'
import { MemcachedServer } from '../servers/memcached.js'
import { raw } from './raw.js'
import { open } from './scene.js'

const servers: MemcachedServer[] = []
beforeAll(async () => {
  for (let count = 0; count < 4; count += 1) servers.push(await MemcachedServer.start())
})
afterAll(() => Promise.all(servers.map((server) => server.stop())))

/** Which of the servers has that lock, by their numbers. */
async function serversWith(name: string): Promise<number[]> {
  const answers = await Promise.all(servers.map((server) => raw(server, `mg ${keyOf(name)}`)))
  return answers.flatMap((answer, index) => (answer.startsWith('HD') ? [index] : []))
}

test('each lock is on one server, all have their share, and the order of the list does not matter', async () => {
  const [one, other] = [open(servers), open(servers.toReversed())]
  const share = new Map<number | undefined, number>()
  for (let count = 0; count < 400; count += 1) {
    const name = `lock ${count}`
    const hold = await one.lock(name).acquire()
    expect(await other.lock(name).tryAcquire()).toBeNull()
    const [at, ...others] = await serversWith(name)
    expect(others).toEqual([])
    share.set(at, (share.get(at) ?? 0) + 1)
    await hold.release()
  }
  expect(share.has(undefined)).toBe(false)
  for (const index of servers.keys()) expect(share.get(index)).toBeGreaterThan(60)
})

test('a changed list moves the locks of the server that is gone, or new, and no others: those are held twice', async () => {
  const [fewer, all] = [open(servers.slice(0, 3)), open(servers)]
  let moved = 0
  for (let count = 0; count < 200; count += 1) {
    const name = randomUUID()
    const hold = await fewer.lock(name).acquire()
    const second = await all.lock(name).tryAcquire()
    if (second) {
      moved += 1
      expect(await serversWith(name)).toContain(3)
      await second.release()
    }
    hold.assertHeld()
    await hold.release()
  }
  expect(moved).toBeGreaterThan(20)
  expect(moved).toBeLessThan(100)
})

test('a server that is down costs its own locks alone', async () => {
  const down = await MemcachedServer.start()
  const holdfast = open([...servers.slice(0, 2), down])
  await down.kill()
  const outcomes = { taken: 0, failed: 0 }
  for (let count = 0; count < 60; count += 1) {
    const taken = await holdfast
      .lock(`down ${count}`)
      .withLock({ waitMs: 0 }, () => true)
      .catch((error: unknown) => {
        const { cause } = Object(error)
        expect(error instanceof StoreError ? error : cause).toMatchObject({ reason: 'unreachable' })
        return false
      })
    outcomes[taken ? 'taken' : 'failed'] += 1
  }
  expect(outcomes.taken).toBeGreaterThan(20)
  expect(outcomes.failed).toBeGreaterThan(5)
  await down.stop()
})

test('a lock of another program is held by somebody unknown, until its end', async () => {
  const lock = open(servers).lock(randomUUID())
  for (const server of servers) await raw(server, `add ${keyOf(lock.name)} 0 5 4`, 'cron')
  expect(await lock.tryAcquire()).toBeNull()
  expect((await lock.inspect()).owners).toMatchObject([{ owner: 'foreign:0', holds: 1 }])
  await (await lock.acquire({ waitMs: 15_000 })).release()
})
