import { expect, inject, onTestFinished, test } from 'vitest'
import { holdfasts } from '../connections/scenes.js'
import { withAdmin } from '../servers/admin.js'
import { bringSentinel, bringServer } from '../servers/index.js'
import { untilFollows } from '../servers/replication.js'
import { clientLibraries, sentinelClient } from '../setup/clients.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'

// Each try has its own, because it kills the primary.
const group = duringEach(() => bringSentinel({ flavour: inject('servers').flavour }))
const holdfastOn = holdfasts()

test('checkReplicas: a lock that was acquired is there after its primary has crashed', {
  timeout: 150_000,
}, async () => {
  const options = { watchdogMs: 180_000, commandTimeoutMs: 2_000, storeTimeoutMs: 30_000 }
  const holder = holdfastOn(sentinelClient(group), { ...options, checkReplicas: 1 })
  const other = holdfastOn(sentinelClient(group), options)
  const lost: string[] = []
  holder.on('lost', ({ name }) => lost.push(name))
  const names = Array.from({ length: 20 }, (_, index) => `survives:${index}`)
  const holds = await Promise.all(names.map((name) => holder.lock(name).acquire()))
  await group.primary.kill()
  const probe = other.lock('probe')
  // Sentinels whose votes were split wait 20 s before they try again.
  await eventually(() => probe.withLock({ waitMs: 0 }, () => true).catch(() => false), Boolean, 120_000)
  for (const name of names) expect(await other.lock(name).tryAcquire()).toBeNull()
  expect(lost).toEqual([])
  // Nobody is left to acknowledge: what is new is refused now, what was held can be given back.
  await expect(holder.lock('new').acquire()).rejects.toMatchObject({ reason: 'replicas' })
  for (const hold of holds) await hold.release()
  for (const name of names) expect(await other.lock(name).isLocked()).toBe(false)
})

test('faults E4: the former primary wakes and knows nothing of its fate: locks are acknowledged by the new one', async () => {
  const former = group.primary
  const args = ['--replicaof', former.host, String(former.port)]
  const second = await bringServer({ flavour: inject('servers').flavour, args })
  onTestFinished(() => second.stop())
  const [sentinel] = group.sentinels
  if (!sentinel) throw new Error('a group has sentinels')
  const ask = (...words: [string, ...string[]]): Promise<unknown> =>
    withAdmin(sentinel, (command) => command('SENTINEL', ...words, group.name))
  await eventually(async () => String(await ask('REPLICAS')).split('master-link-status,ok').length === 3)
  const options = { checkReplicas: 1, watchdogMs: 24_000, commandTimeoutMs: 1_500, storeTimeoutMs: 30_000 }
  const all = [...clientLibraries, 'node-redis-6' as const].map((library) => {
    return { library, holdfast: holdfastOn(sentinelClient(group, library), options) }
  })
  const holds = await Promise.all(all.map(({ library, holdfast }) => holdfast.lock(library).acquire()))
  await former.pause()
  expect(await ask('FAILOVER')).toBe('OK')
  await eventually(async () => !String(await ask('GET-MASTER-ADDR-BY-NAME')).endsWith(`,${former.port}`))
  await Promise.all(all.map(({ holdfast }) => new Promise((resolve) => holdfast.once('renewed', resolve))))
  const told = String(await ask('GET-MASTER-ADDR-BY-NAME'))
  const [heir, other] = told.endsWith(`,${second.port}`) ? [second, group.replica] : [group.replica, second]
  await untilFollows(other, heir)
  await former.resume()
  for (const { library, holdfast } of all) await holdfast.lock(`${library}:next`).acquire()
  for (const hold of holds) await hold.release()
})
