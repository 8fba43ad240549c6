/** Locks of a Redis Cluster are looked at with one command each, and that tells what a closer look tells. */
import { expect, it } from 'vitest'
import { type LockView, viewJson } from '../../src/cli/lock-view.js'
import { Server } from '../../src/cli/server.js'
import { parseServerUrl } from '../../src/stores/url/server-address.js'
import { eventually } from '../setup/eventually.js'
import { tidiedPlace } from '../setup/places.js'
import { redisUrls } from './where.js'

const place = tidiedPlace('cluster')

it('plain and fenced locks by a glance, other kinds by a closer look', async () => {
  const [one, two] = [place.holdfast(), place.holdfast()]
  const names = ['a', 'b{c', '{d}e', 'f'].map((each) => `${place.lockName()}:${each}`)
  const [plain = '', odd = '', tagged = '', shared = ''] = names
  await one.lock(plain).acquire()
  await one.fencedLock(odd).acquire()
  await one.lock(tagged).acquire()
  await one.readWriteLock(shared).readLock().acquire()
  const waiting = new Promise((resolve) => two.once('waiting', resolve))
  const next = two.lock(plain).acquire()
  next.catch(() => undefined)
  await waiting
  await using server = await Server.at(parseServerUrl(redisUrls.cluster()), '')
  let commands = 0
  const glances = async (): Promise<ReadonlyMap<string, readonly Shown[]>> => {
    const seen = new Map<string, readonly Shown[]>()
    commands = 0
    const pace = async (asked: number): Promise<void> => {
      commands += asked
    }
    await server.catalogue.lookAtAll(names, pace, (name, found) => {
      if (Array.isArray(found)) seen.set(name, found.map(timeless))
    })
    return seen
  }
  const looks = async (): Promise<ReadonlyMap<string, readonly Shown[]>> => {
    const all = names.map(async (name) => [name, (await server.catalogue.look(name)).map(timeless)] as const)
    return new Map(await Promise.all(all))
  }
  // A waiter's subscriptions come one after the other.
  const seen = await eventually(glances, (found) => found.get(plain)?.[0]?.['waitingClients'] === 1)
  expect(seen).toEqual(await looks())
  expect(seen.get(plain)).toMatchObject([{ kind: 'lock', line: [{}] }])
  expect(seen.get(odd)).toMatchObject([{ kind: 'fenced lock', fence: '1' }])
  // One for each glance, and what a closer look may take: at the read-write lock, and at the name whose brace puts keys of its kinds apart.
  expect(commands).toBe(4 + 2 * 10)
})

type Shown = ReturnType<typeof viewJson>

function timeless(view: LockView): Shown {
  return { ...viewJson(view), remainingMs: null }
}
