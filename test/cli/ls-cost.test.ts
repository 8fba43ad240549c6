/** What `ls` asks of a server, counted by the server: one of its own, since others share the usual one; and of a Redis Cluster. */
import { describe, expect, it } from 'vitest'
import { type LockView, viewJson } from '../../src/cli/lock-view.js'
import { Server } from '../../src/cli/server.js'
import { Holdfast } from '../../src/index.js'
import { parseServerUrl } from '../../src/stores/url/server-address.js'
import { bringServer } from '../servers/index.js'
import { standaloneClient } from '../setup/clients.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { later } from '../setup/later.js'
import { tidiedPlace } from '../setup/places.js'
import { useProgram } from './program.js'
import { redisUrls } from './where.js'

const program = useProgram()
const server = duringAll(() => bringServer({ flavour: 'any', args: [] }))

describe('holdfast ls: what it costs', () => {
  it('two passes over the keys, two commands for fifty plain locks, and three at most for each other', async () => {
    const client = standaloneClient({ host: server.host, port: server.port })
    // Its watchdog renews nothing meanwhile.
    const holdfast = new Holdfast(client, { watchdogMs: 3_600_000 })
    // An application's keys: 5000 of them are five steps of each pass.
    const numbers = Array.from({ length: 4_990 }, (_, index) => [`counter:${index}`, '7']).flat()
    await client.call('MSET', ...numbers)
    await client.call('ZADD', 'application:timeout', '1', 'member')
    await client.call('HSET', 'application:hash', 'field', 'value')
    for (const name of ['a', 'b', 'c']) await holdfast.lock(name).acquire()
    await holdfast.readWriteLock('d').readLock().acquire()
    await holdfast.semaphore('e').trySetPermits(3)
    await holdfast.semaphore('e').acquire({ permits: 2 })
    await holdfast.permitExpirableSemaphore('f').trySetPermits(3)
    await holdfast.permitExpirableSemaphore('f').acquire()
    await program.run(['ls'], { url: server.url })
    const before = await calls(client)
    const listed = await program.json(['ls'], { url: server.url })
    const after = await calls(client)
    const kinds = listed.map(({ name, kind }) => `${name}: ${kind}`)
    const others = ['d: read-write lock', 'e: semaphore', 'f: permit-expirable semaphore']
    expect(kinds.sort()).toEqual(['a: lock', 'b: lock', 'c: lock', ...others])
    const spent = (command: string): number => (after.get(command) ?? 0) - (before.get(command) ?? 0)
    const keys = Number(await client.call('DBSIZE'))
    expect(spent('scan')).toBeLessThanOrEqual(2 * Math.ceil((2 * keys) / 1_000))
    // Two sides of the read-write lock, two for each semaphore.
    expect(spent('evalsha')).toBe(2 + 2 * 2)
    // The plain locks, and the hash that is none, as the steps of a pass find them: fifty with one script, and who listens for their releases.
    expect(spent('eval')).toBeGreaterThan(0)
    expect(spent('eval')).toBeLessThanOrEqual(Math.min(4, spent('scan') / 2))
    expect(spent('pubsub|numsub')).toBe(spent('eval'))
    expect(spent('keys')).toBe(0)
    await holdfast.close()
    client.disconnect()
  })
})

async function calls(client: ReturnType<typeof standaloneClient>): Promise<Map<string, number>> {
  const lines = String(await client.call('INFO', 'commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)
  return new Map([...lines].map(([, command = '', count]) => [command, Number(count)]))
}

const place = tidiedPlace('cluster')

it('locks of a Redis Cluster: plain and fenced locks by a glance, other kinds by a closer look', async () => {
  const [one, two] = [place.holdfast(), place.holdfast()]
  const names = ['a', 'b{c', '{d}e', 'f'].map((each) => `${place.lockName()}:${each}`)
  const [plain = '', odd = '', tagged = '', shared = ''] = names
  await one.lock(plain).acquire()
  await one.fencedLock(odd).acquire()
  await one.lock(tagged).acquire()
  await one.readWriteLock(shared).readLock().acquire()
  const waiting = new Promise((resolve) => two.once('waiting', resolve))
  later(two.lock(plain).acquire())
  await waiting
  await using server = await Server.at(parseServerUrl(redisUrls.cluster()), '')
  let commands = 0
  const glances = async () => {
    const seen = new Map<string, readonly Shown[]>()
    commands = 0
    const pace = async (asked: number) => {
      commands += asked
    }
    await server.catalogue.lookAtAll(names, pace, (name, found) => {
      if (Array.isArray(found)) seen.set(name, found.map(timeless))
    })
    return seen
  }
  const looked = async (name: string) => [name, (await server.catalogue.look(name)).map(timeless)] as const
  // A waiter's subscriptions come one after the other.
  const seen = await eventually(glances, (found) => found.get(plain)?.[0]?.['waitingClients'] === 1)
  expect(seen).toEqual(new Map(await Promise.all(names.map(looked))))
  expect(seen.get(plain)).toMatchObject([{ kind: 'lock', line: [{}] }])
  expect(seen.get(odd)).toMatchObject([{ kind: 'fenced lock', fence: '1' }])
  // One for each glance, and what a closer look may take: at the read-write lock, and at the name whose brace puts keys of its kinds apart.
  expect(commands).toBe(4 + 2 * 10)
})

type Shown = ReturnType<typeof viewJson>

function timeless(view: LockView): Shown {
  return { ...viewJson(view), remainingMs: null }
}
