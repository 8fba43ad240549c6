/**
 * A replica takes its primary's place. Clients know the primary by an address that leads to the replica then, as a virtual address or a
 * proxy does.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { type Hold, Holdfast, type HoldfastOptions, LockLostError } from '../../src/index.js'
import { postgres } from '../../src/postgres/index.js'
import { Wire } from '../chaos/network/wire.js'
import { PostgresPair } from '../servers/sql/index.js'
import { until } from '../servers/until.js'
import { missing, title } from './server.js'

describe.skipIf(missing)(`${title}: failover`, () => {
  const ends: Array<() => unknown> = []

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })

  const bring = async (synchronous: boolean) => {
    const pair = await PostgresPair.start({ synchronous })
    ends.push(() => pair.stop())
    const address = await Wire.before(pair.primary.address)
    ends.push(() => address.stop())
    const { user, password, database } = pair.primary.address
    const poolTo = ({ host, port }: { host: string; port: number }): pg.Pool => {
      const pool = new pg.Pool({ host, port, user, password, database })
      pool.on('error', () => undefined)
      ends.push(() => pool.end())
      return pool
    }
    const pool = poolTo(address)
    const open = (options: HoldfastOptions = {}): Holdfast => {
      const holdfast = new Holdfast(postgres(pool, { createTable: true }), {
        commandTimeoutMs: 1_000,
        ...options,
      })
      ends.push(() => holdfast.close())
      return holdfast
    }
    const failOver = async (): Promise<void> => {
      await pair.primary.kill()
      await pair.promote()
      address.leadTo(pair.replica.address)
    }
    const waiting = async (name: string): Promise<number> => {
      const { rows } = await poolTo(pair.primary.address).query<{ count: number }>(
        'SELECT cardinality(waiting) AS count FROM holdfast_locks WHERE name = $1',
        [name],
      )
      return rows[0]?.count ?? 0
    }
    return { pair, open, failOver, waiting }
  }
  /** Asks again and again, also while the address leads nowhere. */
  const take = (holdfast: Holdfast, name: string): Promise<Hold> =>
    until(async () => (await holdfast.fencedLock(name).tryAcquire()) ?? false, { what: 'it is free' })

  describe('to a synchronous replica', () => {
    test('holds and tokens are kept, and those that wait are served in their order', async () => {
      const { open, failOver, waiting } = await bring(true)
      const [holder, first, second] = [open({ watchdogMs: 6_000 }), open(), open()]
      const name = randomUUID()
      const before = await holder.fencedLock(name).acquire()
      await before.release()
      const hold = await holder.fencedLock(name).acquire()
      expect(hold.fence).toBeGreaterThan(before.fence ?? 0n)
      const served: string[] = []
      const wait = async (holdfast: Holdfast, who: string): Promise<bigint | undefined> => {
        const own = await holdfast.fencedLock(name).acquire()
        served.push(who)
        await own.release()
        return own.fence
      }
      const one = wait(first, 'first')
      await until(async () => (await waiting(name)) === 1, { what: 'the first waits' })
      const other = wait(second, 'second')
      await until(async () => (await waiting(name)) === 2, { what: 'the second waits' })

      const renewed = new Promise((resolve) => holder.once('renewed', resolve))
      await failOver()
      await renewed
      hold.assertHeld()
      expect(served).toEqual([])
      await hold.release()
      const fences = [hold.fence, await one, await other]
      expect(served).toEqual(['first', 'second'])
      expect(fences).toEqual([...fences].sort((a, b) => Number((a ?? 0n) - (b ?? 0n))))
      expect(new Set(fences).size).toBe(3)
    })

    test('what the replica has not written is not granted', async () => {
      const { pair, open, failOver } = await bring(true)
      const [one, other] = [open(), open()]
      const name = randomUUID()
      await (await one.lock(name).acquire()).release()
      await pair.replica.pause()
      await expect(one.lock(name).acquire({ waitMs: 300, leaseMs: 60_000 })).rejects.toThrow()
      await pair.replica.resume()
      await failOver()
      // What it may have taken after all is given back.
      const hold = await other.lock(name).acquire()
      await hold.release()
    })
  })

  describe('to an asynchronous replica', () => {
    test('what was held before it fell behind is kept; what was granted since is lost, and its holder is told', async () => {
      const { pair, open, failOver } = await bring(false)
      const [one, other] = [open({ watchdogMs: 6_000 }), open()]
      const [kept, lost] = [randomUUID(), randomUUID()]
      await (await one.fencedLock(lost).acquire()).release()
      const early = await one.fencedLock(kept).acquire()
      await pair.fallBehind()
      const late = await one.fencedLock(lost).acquire()
      const told = once(late.signal, 'abort')

      await failOver()
      const second = await take(other, lost)
      // Two hold it now: only the token tells them apart.
      late.assertHeld()
      second.assertHeld()
      expect(second.fence).toBeGreaterThan(late.fence ?? 0n)
      await told
      await expect(late.release()).rejects.toThrow(LockLostError)
      second.assertHeld()
      expect(await other.fencedLock(lost).isHeld()).toBe(false)

      early.assertHeld()
      expect(await other.fencedLock(kept).tryAcquire()).toBeNull()
      await early.release()
      await second.release()
    })

    test('a release that was lost leaves the lock held by nobody until its lease ends', async () => {
      const { pair, open, failOver } = await bring(false)
      const [one, other] = [open({ watchdogMs: 3_000 }), open()]
      const name = randomUUID()
      const hold = await one.lock(name).acquire()
      await pair.fallBehind()
      await hold.release()
      await failOver()
      const waiting = other.lock(name).acquire()
      expect(await until(() => other.lock(name).isLocked(), { what: 'it can be asked' })).toBe(true)
      await (await waiting).release()
    })
  })
})
