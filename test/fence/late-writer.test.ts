/**
 * What fencing is for: a holder is paused (really: SIGSTOP) until its lease has ended, another takes the lock and writes, the first
 * wakes up and writes too.
 */
import process from 'node:process'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { Forked } from '../redisson/forked.js'
import { standIn } from '../servers/stand-in.js'
import { onDatabases } from '../setup/databases.js'
import { duringAll } from '../setup/during.js'
import { placeOf } from '../setup/places.js'
import { type Place, resourceAt } from './resource.js'
import { stockOf } from './sql/stock-of.js'
import { freshName, standaloneStand } from './stand.js'
import { TextServer } from './text-server.js'

const server = inject('servers').standalone
const place = placeOf('standalone')
afterEach(() => place.tidy())
afterAll(() => Forked.killAll())

/** Resolves with what the paused writer told, and the token of the one that wrote in time. */
async function lateWrite(at: Place): Promise<{ readonly told: object; readonly fence: bigint | undefined }> {
  const name = freshName()
  const fixture = new URL('./paused-writer.fixture.ts', import.meta.url)
  const { host, port } = server
  const paused = Forked.start(fixture, { server: { host, port }, name, leaseMs: 400, place: at })
  const { pid, fence } = started(await paused.told())
  process.kill(pid, 'SIGSTOP')
  // Returns when the lease of the first has ended.
  const hold = await place.holdfast().fencedLock(name).acquire()
  expect(hold.fence).toBeGreaterThan(fence)
  const resource = resourceAt(at)
  await resource.write('in time', hold.fence)
  paused.send('write')
  process.kill(pid, 'SIGCONT')
  const told = await paused.told()
  hold.assertHeld()
  await hold.release()
  await resource.end()
  expect(await paused.ended()).toBe(0)
  if (typeof told !== 'object' || told === null) throw new Error(`told ${String(told)}`)
  return { told, fence: hold.fence }
}

function started(told: unknown): { pid: number; fence: bigint } {
  if (typeof told === 'object' && told !== null && 'pid' in told && 'fence' in told)
    return { pid: Number(told.pid), fence: BigInt(String(told.fence)) }
  throw new Error(`told ${String(told)}`)
}

const refused = { told: { written: false, stale: true, code: 'STALE_FENCE' } }

describe('a holder that wakes up too late is refused', () => {
  test('by a guarded value', async () => {
    const key = freshName()
    const { host, port } = server
    const late = await lateWrite({ kind: 'guarded value', server: { host, port }, key })
    expect(late).toMatchObject(refused)
    const stand = standaloneStand()
    expect(await stand.session().guarded.readGuarded(key)).toEqual({ value: 'in time', fence: late.fence })
    await stand.close()
  })

  test('by a FenceGuard', async () => {
    const text = new TextServer()
    const { port, stop } = await standIn((socket) => text.answer(socket))
    expect(await lateWrite({ kind: 'memory', port })).toMatchObject(refused)
    expect(text.text).toBe('in time')
    stop()
  })
})

await onDatabases(['PostgreSQL', 'MariaDB'], (database, kind) => {
  describe('a holder that wakes up too late is refused', () => {
    const stock = duringAll(() => stockOf(kind, database().address))
    beforeAll(async () => {
      await stock.create()
    })

    test('by the condition on the row', async () => {
      const { address } = database()
      const late = await lateWrite({ kind, address, item: 'bolts' })
      expect(late).toMatchObject(refused)
      expect(await stock.read('bolts')).toEqual({ amount: 'in time'.length, fence: late.fence })
    })
  })
})
