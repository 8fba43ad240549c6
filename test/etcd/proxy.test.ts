/** Locks behind etcd's own proxy, which numbers watches itself and passes on errors without their codes. */
import { expect, test } from 'vitest'
import { EtcdProxy, EtcdServer } from '../servers/etcd/index.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { anyLock, holdfastOn, linkTo, watchedOn } from './scene.js'

const server = duringAll(() => EtcdServer.start())
const proxy = duringAll(() => EtcdProxy.before(server))

function holdfast(watchdogMs = 30_000) {
  const told: string[] = []
  const made = holdfastOn({ hosts: proxy.url }, { watchdogMs })
  for (const event of ['suspended', 'lost', 'error', 'renewed'] as const)
    made.on(event, () => told.push(event))
  return { client: made, told }
}

test('faults B5: locks that are freed one after the other are told as such, and no other is', async () => {
  const [one, other] = [linkTo([proxy]), linkTo([proxy])]
  const { session } = await one.link.begin(30_000)
  const locks = Array.from({ length: 20 }, () => anyLock())
  const keys = await Promise.all(
    locks.map(async (lock) => {
      const key = one.key()
      const [entry] = (await one.link.stand({ lock, session, key, mode: 'lock', ifFree: false })) ?? []
      if (!entry) throw new Error('it stands there')
      return { lock, key, entry }
    }),
  )
  const told = new Set<number>()
  // All at once: they are answered in any order.
  for (const [index, { lock, entry }] of keys.entries()) other.link.watch(lock, entry, () => told.add(index))
  await eventually(async () => (await watchedOn(server)) >= locks.length)
  const odd = [...keys.keys()].filter((index) => index % 2 === 1)
  for (const [index, { lock, key }] of keys.entries()) {
    if (!odd.includes(index)) continue
    await one.link.remove(lock, key)
    await eventually(() => told.has(index))
  }
  expect([...told].sort((a, b) => a - b)).toEqual(odd)
  // What this client itself holds is watched by now, and stands.
  expect(one.told.gone).toEqual([])
  await one.link.end(session)
})

test('faults B5, W6: who waits hears of a release, again and again', async () => {
  const [one, other] = [holdfast(), holdfast()]
  const { name } = anyLock()
  const counts = [0, 0]
  const work = [one, other].map(async ({ client }, index) => {
    for (let count = 0; count < 20; count += 1)
      await client.lock(name).withLock(async () => {
        counts[index] = (counts[index] ?? 0) + 1
      })
  })
  await Promise.all(work)
  expect(counts).toEqual([20, 20])
  expect([...one.told, ...other.told]).toEqual([])
})

test('faults B5: keep-alives are answered in time, and a lease that has ended is no failure', async () => {
  const { client, told } = holdfast(6_000)
  const hold = await client.lock(anyLock().name).acquire()
  await eventually(() => told.filter((each) => each === 'renewed').length >= 3)
  expect(new Set(told)).toEqual(new Set(['renewed']))
  await hold.release()
  const { link } = linkTo([proxy])
  const { session } = await link.begin(5_000)
  await link.end(session)
  expect(await link.keepAlive(session)).toBe(false)
  await link.end(session)
})
