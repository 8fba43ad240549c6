/** A lock that a process keeps by habit, with nobody inside, when that process ends or stands still (rule W9): on every store with messages. */
import { randomUUID } from 'node:crypto'
import process from 'node:process'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Holdfast, type HoldfastOptions, type Lock } from '../../src/index.js'
import { Forked } from '../redisson/forked.js'
import { until } from '../servers/until.js'
import { lasting } from '../setup/lasting.js'
import { later } from '../setup/later.js'
import { type Endpoint, Wire } from '../wire/wire.js'
import { type At, openAt } from './at.js'
import type { KeeperTask } from './keeper.fixture.js'

/** Beyond the end of any test: what is free before that was given back. */
const NEVER_MS = 600_000
/** How long a test waits for what is free after one short lease. */
const WAIT_MS = 30_000

/** A server as other processes are told of it, and what is told of one whose only way leads over a wire. */
interface Where {
  readonly at: () => At
  readonly server?: () => Endpoint
  readonly over?: (wire: Endpoint) => At
}

/**
 * @param writesAtExit whether its client can still send something when the process exits
 * @param threads whether a thread can renew its leases
 */
export function keptByProcesses(
  { at, server, over }: Where,
  { writesAtExit = true, threads = false } = {},
): void {
  function open(there = at(), options: HoldfastOptions = {}): Holdfast {
    const { store, disconnect } = openAt(there)
    const holdfast = new Holdfast(store, options)
    onTestFinished(async () => {
      await holdfast.close()
      disconnect()
    })
    return holdfast
  }

  /** A process that keeps a lock and has met its fate, and another's handle of that lock. */
  async function keeper(task: Omit<KeeperTask, 'at' | 'name'>): Promise<{ child: Forked; far: Lock }> {
    const name = `kept-${randomUUID()}`
    const far = open().lock(name)
    // With the connection made, it asks before any lease ends.
    expect(await far.isLocked()).toBe(false)
    const child = Forked.start(new URL('./keeper.fixture.ts', import.meta.url), { ...task, at: at(), name })
    expect(await child.told()).toBe('keeps')
    return { child, far }
  }

  /** Longer than a lease that nobody renews, shorter than one that somebody does. */
  const taken = async (far: Lock): Promise<void> => await (await far.acquire({ waitMs: WAIT_MS })).release()

  describe('W9: a lock kept by habit', () => {
    test.runIf(writesAtExit)('is given back by process.exit()', async () => {
      await taken((await keeper({ fate: 'exits', watchdogMs: NEVER_MS, lingerMs: NEVER_MS })).far)
    })

    const ends: Array<[string, Omit<KeeperTask, 'at' | 'name' | 'watchdogMs'>]> = [
      // What a thread writes on its way out may not leave it.
      ['after process.exit() in a worker thread', { fate: 'exits', inThread: true }],
      ['when its thread is terminated', { fate: 'is terminated', inThread: true }],
      ['when its process is killed', { fate: 'is killed' }],
    ]
    if (!writesAtExit) ends.push(['after process.exit()', { fate: 'exits' }])
    const blocked = { fate: 'is blocked', watchdogThread: true } as const
    if (threads) ends.push(['when its process is blocked, though a thread renews', blocked])
    test.each(ends)('is free after a short lease at the latest %s', async (_when, fate) => {
      await taken((await keeper({ ...fate, watchdogMs: lasting(2_000) })).far)
    })

    test('is free after a short lease when its process is stopped, which does not go on to enter it', async () => {
      const { child, far } = await keeper({ fate: 'is stopped', watchdogMs: lasting(2_000) })
      const hold = await far.acquire({ waitMs: WAIT_MS })
      process.kill(child.pid, 'SIGCONT')
      expect(await child.told()).toBe('is refused')
      child.send('go on')
      await until(async () => (await far.countWaitingClients()) === 1, { what: 'it waits' })
      await hold.release()
      expect(await child.told()).toBe('released')
      expect(await child.ended()).toBe(0)
    })

    test.runIf(over)(
      'is free after a short lease when its connection is lost, and not entered then',
      async () => {
        if (!server || !over) return
        const wire = await Wire.before(server())
        const near = open(over(wire), { watchdogMs: lasting(2_000) })
        onTestFinished(() => wire.stop())
        const name = `kept-${randomUUID()}`
        const [lock, far] = [near.lock(name), open().lock(name)]
        expect(await far.isLocked()).toBe(false)
        do await (await lock.acquire()).release()
        while (near.census.tenures === 0)
        wire.refuse()
        wire.breakAll()
        const hold = await far.acquire({ waitMs: WAIT_MS })
        wire.heal()
        let entered = false
        const next = later(lock.acquire({ waitMs: WAIT_MS }))
        void next.then(() => {
          entered = true
        })
        await until(async () => (await far.countWaitingClients()) === 1, { what: 'it waits' })
        expect(entered).toBe(false)
        await hold.release()
        await (await next).release()
      },
    )
  })
}
