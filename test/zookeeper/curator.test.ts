/** One line with Curator: its locks and Holdfast's exclude each other, in the order in which they came. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { getChildren } from '../../src/stores/zookeeper/client/operations.js'
import { whyNoPeer } from '../interop/java-build.js'
import { until } from '../servers/until.js'
import { ZooKeeperServer } from '../servers/zookeeper/index.js'
import { Holders } from '../session/holders.js'
import { type CuratorPeer, startCurator } from './curator-peer.js'
import { Scene } from './scene.js'

const scene = new Scene()
let server: ZooKeeperServer
let folder: string
beforeAll(async () => {
  const hindrance = await whyNoPeer('curator')
  if (hindrance !== undefined) throw new Error(hindrance)
  server = await ZooKeeperServer.start({ settings: { maxSessionTimeout: 2 ** 31 - 1 } })
  folder = await mkdtemp(join(tmpdir(), 'holdfast-curator-'))
}, 180_000)
afterAll(async () => {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

let locks = 0
let name: string
beforeEach(() => {
  locks += 1
  name = `curator-${locks}`
})

async function curator(kind: 'mutex' | 'read' | 'write' = 'mutex', sessionMs = 10_000): Promise<CuratorPeer> {
  const path = kind === 'mutex' ? `/holdfast/${name}` : `/holdfast/%read-write/${name}`
  return scene.keep(await startCurator(server.address, sessionMs, kind, path))
}

async function untilInLine(count: number, path = `/holdfast/${name}`): Promise<void> {
  const session = await scene.session(server.address)
  await until(async () => (await session.request(getChildren(path)).catch(() => [])).length === count, {
    what: `${count} stand in line`,
  })
}

describe('InterProcessMutex', () => {
  test('W9: gets what Holdfast keeps with nobody inside when it comes', async () => {
    const keeper = scene.holdfast(server.address, { watchdogMs: 240_000, lingerMs: 240_000 })
    const lock = keeper.lock(name)
    await (await lock.acquire()).release()
    expect(await lock.inspect()).toMatchObject({ lingering: true })
    const peer = await curator()
    await peer.tell('acquire')
    expect(keeper.census.tenures).toBe(0)
    await peer.tell('release')
  })

  test('takes turns with Holdfast, in the order of the line', async () => {
    const [one, other] = [scene.holdfast(server.address), scene.holdfast(server.address)]
    const [first, last] = [await curator(), await curator()]
    const order: string[] = []
    const hold = await one.lock(name).acquire()
    const steps = [
      () => first.tell('acquire').then(() => order.push('Curator')),
      () =>
        other
          .lock(name)
          .acquire()
          .then((next) => {
            order.push('Holdfast')
            return next.release()
          }),
      () => last.tell('acquire').then(() => order.push('Curator again')),
    ]
    const waits: Promise<unknown>[] = []
    for (const [index, step] of steps.entries()) {
      waits.push(step())
      await untilInLine(index + 2)
    }
    expect(await other.lock(name).tryAcquire()).toBeNull()
    await hold.release()
    await waits[0]
    expect(order).toEqual(['Curator'])
    await first.tell('release')
    await Promise.all(waits)
    expect(order).toEqual(['Curator', 'Holdfast', 'Curator again'])
    await last.tell('release')
    expect(await one.lock(name).isLocked()).toBe(false)
  })

  test('S8: an unguarded counter loses nothing, with sections of both, under load', {
    timeout: 120_000,
  }, async () => {
    const file = join(folder, name)
    await writeFile(file, '0')
    const peers = [await curator(), await curator()]
    const clients = [scene.holdfast(server.address), scene.holdfast(server.address)]
    const own = async (client: (typeof clients)[number]): Promise<void> => {
      for (let section = 0; section < 40; section += 1)
        await client.lock(name).withLock(async () => {
          const number = Number(await readFile(file, 'utf8'))
          await writeFile(file, String(number + 1))
        })
    }
    await Promise.all([
      ...peers.map((peer) => peer.tell(`count 40 ${file}`)),
      ...clients.flatMap((client) => [own(client), own(client)]),
    ])
    expect(Number(await readFile(file, 'utf8'))).toBe(240)
  })

  test('S8: a Curator that is killed with the lock, or in line, holds nobody up longer than its session', async () => {
    const holdfast = scene.holdfast(server.address)
    const [holder, waiter] = [await curator('mutex', 1_000), await curator('mutex', 1_000)]
    await holder.tell('acquire')
    const left = waiter.tell('acquire').catch(() => 'killed')
    await untilInLine(2)
    const waiting = holdfast.lock(name).acquire({ waitMs: 20_000 })
    await untilInLine(3)
    holder.kill()
    waiter.kill()
    await (await waiting).release()
    expect(await left).toBe('killed')
  })

  test('S8: a Curator that stood still past its session is not let in beside a holder', async () => {
    const [holdfast, next] = [scene.holdfast(server.address), await curator()]
    const frozen = await curator('mutex', 1_000)
    const hold = await holdfast.lock(name).acquire()
    const waiting = frozen.tell('acquire').catch(() => undefined)
    await untilInLine(2)
    frozen.pause()
    await untilInLine(1)
    const after = next.tell('acquire')
    await untilInLine(2)
    frozen.resume()
    await hold.release()
    await after
    expect(await holdfast.lock(name).tryAcquire()).toBeNull()
    await next.tell('release')
    frozen.kill()
    await waiting
  })

  test('S8: a process of Holdfast that is killed with the lock holds Curator up no longer than its session', async () => {
    const task = { store: 'ZooKeeper', servers: [server.address], names: [name], watchdogMs: 1_500 } as const
    const holders = scene.keep(await Holders.start(task))
    const [peer, next] = [await curator(), scene.holdfast(server.address)]
    const enters = peer.tell('acquire')
    await untilInLine(2)
    await holders.stop()
    await enters
    expect(await next.lock(name).tryAcquire()).toBeNull()
    await peer.tell('release')
    await (await next.lock(name).acquire({ waitMs: 10_000 })).release()
  })
})

describe('InterProcessReadWriteLock', () => {
  test('readers of both share, writers of both wait for them and for each other', async () => {
    const path = `/holdfast/%read-write/${name}`
    const lock = scene.holdfast(server.address).readWriteLock(name)
    const other = scene.holdfast(server.address).readWriteLock(name)
    const [reader, writer] = [await curator('read'), await curator('write')]
    const reading = await lock.readLock().acquire()
    await reader.tell('acquire')
    const order: string[] = []
    const theirs = writer.tell('acquire').then(() => order.push('Curator writes'))
    await untilInLine(3, path)
    const ours = other
      .writeLock()
      .acquire()
      .then((hold) => {
        order.push('Holdfast writes')
        return hold.release()
      })
    await untilInLine(4, path)
    await reading.release()
    expect(order).toEqual([])
    await reader.tell('release')
    await theirs
    expect(order).toEqual(['Curator writes'])
    await writer.tell('release')
    await ours
    expect(order).toEqual(['Curator writes', 'Holdfast writes'])
  })
})
