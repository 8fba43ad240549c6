/** Values in ZooKeeper, and what is left of them and of waits. */
import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { SystemClock } from '../../src/base/time/clock.js'
import { Schedule } from '../../src/base/time/schedule.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { getChildren } from '../../src/stores/zookeeper/client/operations.js'
import { codes } from '../../src/stores/zookeeper/client/result-codes.js'
import { zookeeper } from '../../src/stores/zookeeper/index.js'
import { ZooKeeperLink } from '../../src/stores/zookeeper/link.js'
import { checkZooKeeperOptions } from '../../src/stores/zookeeper/options.js'
import { until } from '../servers/until.js'
import { ZooKeeperServer } from '../servers/zookeeper/index.js'
import { cellsCases } from '../session/cells.cases.js'
import { duringAll } from '../setup/during.js'
import { Scene } from './scene.js'
import { Tap } from './tap.js'

const server = duringAll(() => ZooKeeperServer.start())
const scene = new Scene()

function linked(servers = server.address, onError: (error: unknown) => void = fail): ZooKeeperLink {
  const settings = {
    schedule: new Schedule(new SystemClock(), fail),
    clientId: randomUUID(),
    watchdogLeaseMs: 30_000,
    quarantineMs: 0,
    commandTimeoutMs: 3_000,
    onError,
  }
  const listener = { gone: () => undefined, asked: () => undefined, ended: () => undefined }
  const link = new ZooKeeperLink(checkZooKeeperOptions({ servers }), settings, listener)
  onTestFinished(() => link.close())
  return link
}

function fail(error: unknown): void {
  throw error
}

describe('cells', () => {
  cellsCases({ linked: () => linked(), store: () => zookeeper({ servers: server.address, root: '/values' }) })

  test('X1: a reply to a write that is lost: it is done once, by its version', async () => {
    const tap = scene.keep(await Tap.before(server))
    const { cells } = linked(tap.address)
    const cell = { space: 'value', name: randomUUID() } as const
    const version = await cells.write({ cell, version: 0n, text: 'first', keepMs: Infinity })
    const struck = tap.dropReply('multi')
    const write = { cell, version, text: 'second', keepMs: Infinity }
    await expect(cells.write(write)).rejects.toMatchObject({ code: 'STORE_ERROR', transient: true })
    await struck
    expect(await cells.write(write)).toBeUndefined()
    expect((await cells.read(cell)).text).toBe('second')
  })

  test('what was not to be kept for ever goes when others are written', async () => {
    const { cells } = linked()
    const cellOf = (name: string) => ({ space: 'computed', name: `tidied-${name}` }) as const
    for (const name of ['one', 'other'])
      await cells.write({ cell: cellOf(name), version: 0n, text: 'short', keepMs: 0 })
    await cells.write({ cell: cellOf('kept'), version: 0n, text: 'long', keepMs: Infinity })
    for (let writes = 0; writes < 100; writes += 1)
      await cells.write({ cell: cellOf('busy'), version: undefined, text: `${writes}`, keepMs: 60_000 })
    const session = await scene.session(server.address)
    const names = await until(
      async () => {
        const left = await session.request(getChildren('/holdfast/%cells/computed'))
        return left.includes('tidied-one') || left.includes('tidied-other') ? undefined : left
      },
      { what: 'they are gone' },
    )
    expect(names.toSorted()).toEqual(['tidied-busy', 'tidied-kept'])
  })

  test('where no value is yet, or is any more, nothing is to be tidied', async () => {
    const errors: unknown[] = []
    const random = vi.spyOn(Math, 'random').mockReturnValue(0)
    const { cells } = linked(server.address, (error) => errors.push(error))
    random.mockRestore()
    const session = await scene.session(server.address)
    // The first write tidies, and finds no folder: nothing is removed, and nothing is written.
    const cell = { space: 'latch', name: 'absent' } as const
    expect(await cells.write({ cell, version: 7n, text: 'late', keepMs: 1 })).toBeUndefined()
    await cells.read(cell)
    await expect(session.request(getChildren('/holdfast/%cells/latch'))).rejects.toMatchObject({
      code: codes.noNode,
    })
    expect(errors).toEqual([])
  })

  test('a value that ZooKeeper cannot keep is a typed error at once, and the connection stands', async () => {
    const tap = scene.keep(await Tap.before(server))
    const { cells } = linked(tap.address)
    const cell = { space: 'value', name: 'long' } as const
    const most = 'x'.repeat(999_800)
    const first = await cells.write({ cell, version: 0n, text: most, keepMs: Infinity })
    const write = { cell, version: first, text: `${most}${'x'.repeat(500)}`, keepMs: Infinity }
    await expect(cells.write(write)).rejects.toMatchObject({ reason: 'out-of-memory', transient: false })
    expect((await cells.read(cell)).text).toBe(most)
    expect(tap.open).toHaveLength(1)
  })
})

describe('watches', () => {
  /** How many there are on the server, for whomever. */
  async function watches(): Promise<number> {
    const [, count] = /^zk_watch_count\t(\d+)$/m.exec(await server.ask('mntr')) ?? []
    return Number(count)
  }

  test.each(['lock', 'semaphore', 'countDownLatch'] as const)(
    'W4: waits that were given up (%s) leave none on the server',
    async (kind) => {
      const [holder, waiter] = [scene.holdfast(server.address), scene.holdfast(server.address)]
      const name = randomUUID()
      const lock = holder.lock(name)
      await holder.semaphore(name).trySetPermits(1)
      await holder.countDownLatch(name).trySetCount(1)
      const holds = await Promise.all([lock.acquire(), holder.semaphore(name).acquire()])
      await until(async () => (await watches()) === 2, { what: 'the holder watches its own entries' })
      for (let wait = 0; wait < 20; wait += 1) {
        const leave = new AbortController()
        const { signal } = leave
        const left = rejectionOf(
          kind === 'countDownLatch'
            ? waiter.countDownLatch(name).await({ signal })
            : waiter[kind](name).acquire({ signal }),
        )
        await until(async () => (await watches()) > 2, { what: 'it waits' })
        leave.abort('left')
        expect(await left).toBe('left')
        await until(async () => (await watches()) === 2, { what: 'nothing is left of it' })
      }
      await Promise.all(holds.map((hold) => hold.release()))
      await until(async () => (await watches()) === 0, { what: 'nothing is left' })
    },
  )

  test.each(['while it is cut off', 'when it is back'] as const)(
    'W7: who waits for a latch whose session ends hears that the latch opens %s',
    async (when) => {
      const tap = scene.keep(await Tap.before(server))
      const waiter = scene.holdfast(tap.address, { watchdogMs: 900 })
      const latch = scene.holdfast(server.address).countDownLatch(randomUUID())
      await latch.trySetCount(1)
      const waiting = waiter.countDownLatch(latch.name).await({ waitMs: 20_000 })
      const standing = (count: number): Promise<boolean> =>
        until(async () => (await latch.countWaitingClients()) === count, { what: `${count} wait` })
      await standing(1)
      tap.blackHole()
      await standing(0)
      if (when === 'while it is cut off') await latch.countDown()
      tap.heal()
      tap.breakAll()
      if (when === 'when it is back') {
        await standing(1)
        await latch.countDown()
      }
      await waiting
      await standing(0)
    },
  )
})
