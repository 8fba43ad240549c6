import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { Holdfast, type RedisClient } from '../../src/index.js'
import { bringSentinel, type SentinelGroup } from '../servers/index.js'
import { sentinelClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'

let group: SentinelGroup
// Each try has its own, because it kills the primary.
beforeEach(async () => {
  group = await bringSentinel({ flavour: inject('servers').flavour })
})
afterEach(() => group.stop())

test('checkReplicas: a lock that was acquired is there after its primary has crashed', {
  timeout: 60_000,
}, async () => {
  const clients: RedisClient[] = []
  const connect = (checkReplicas: number): Holdfast => {
    const client = sentinelClient(group)
    clients.push(client)
    return new Holdfast(client, {
      checkReplicas,
      watchdogMs: 60_000,
      commandTimeoutMs: 2_000,
      storeTimeoutMs: 30_000,
    })
  }
  const [holder, other] = [connect(1), connect(0)]
  const lost: string[] = []
  holder.on('lost', ({ name }) => lost.push(name))
  const names = Array.from({ length: 20 }, (_, index) => `survives:${index}`)
  const holds = await Promise.all(names.map((name) => holder.lock(name).acquire()))
  await group.primary.kill()
  await eventually(
    async () =>
      (
        await other
          .lock('probe')
          .tryAcquire()
          .catch(() => null)
      )
        ?.release()
        .then(() => true),
    Boolean,
    30_000,
  )
  for (const name of names) expect(await other.lock(name).tryAcquire()).toBeNull()
  expect(lost).toEqual([])
  // Nobody is left to acknowledge: what is new is refused now, what was held can be given back.
  await expect(holder.lock('new').acquire()).rejects.toMatchObject({ reason: 'replicas' })
  for (const hold of holds) await hold.release()
  for (const name of names) expect(await other.lock(name).isLocked()).toBe(false)
  await Promise.all([holder.close(), other.close()])
  for (const client of clients) client.disconnect()
})
