/** A call that ends with its first answer on its way may have a place already, and must leave it. */
import { describe, expect, test } from 'vitest'
import { type Hold, Holdfast, type Lock } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'
import { calls } from '../fault/proxied-command.js'
import { Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'

/** A place that nobody leaves keeps a free lock from everybody for a first lease: five seconds. */
const AT_ONCE_MS = 4_500

/** The first lease of a process whose place nobody leaves. */
const GHOST_MS = 600

type Side = (holdfast: Holdfast, name: string) => Lock

const plain: Side = (holdfast, name) => holdfast.lock(name)
const fair: Side = (holdfast, name) => holdfast.fairLock(name)
const read: Side = (holdfast, name) => holdfast.readWriteLock(name).readLock()
const write: Side = (holdfast, name) => holdfast.readWriteLock(name).writeLock()

const kinds: ReadonlyArray<{ kind: string; script: 'acquire' | 'rwAcquire'; leaves: Side; waits: Side }> = [
  { kind: 'lock', script: 'acquire', leaves: plain, waits: plain },
  { kind: 'fair', script: 'acquire', leaves: fair, waits: fair },
  { kind: 'read', script: 'rwAcquire', leaves: read, waits: write },
  { kind: 'write', script: 'rwAcquire', leaves: write, waits: write },
  { kind: 'write before read', script: 'rwAcquire', leaves: write, waits: read },
]

const ends = ['abort', 'time-out', 'close', 'time-out of a call with a short lease'] as const

const stages = [
  { where: 'ioredis 6, RESP3', open: () => Scene.standalone('ioredis-6') },
  { where: 'ioredis 5, RESP2', open: () => Scene.standalone('ioredis-5') },
  { where: 'cluster', open: () => Scene.cluster('ioredis-6') },
]

/** The call that is about to end, however it ends. */
function leave(lock: Lock, end: (typeof ends)[number]): { end(): void; readonly ended: Promise<unknown> } {
  const controller = new AbortController()
  const short = end.startsWith('time-out') ? { waitMs: 150 } : {}
  const leased = end.includes('lease') ? { leaseMs: 100 } : {}
  const ended = lock
    .acquire({ signal: controller.signal, ...short, ...leased })
    .catch((error: unknown) => error)
  return { end: () => controller.abort(), ended }
}

async function grantedAtOnce(waiting: Promise<Hold>): Promise<void> {
  const from = performance.now()
  const hold = await waiting
  expect(performance.now() - from).toBeLessThan(AT_ONCE_MS)
  await hold.release()
}

describe.each(stages)('H15: a place in line does not outlive its call ($where)', ({ open }) => {
  const scene = duringEach(() => open())

  describe.each(kinds)('$kind', ({ script, leaves, waits }) => {
    test.each(ends)(
      'after %s, with the first answer on its way: the next in line gets the lock at once',
      async (end) => {
        const [holding, waiting] = [
          scene.holdfast({}, { proxied: false }),
          scene.holdfast({}, { proxied: false }),
        ]
        const leaving = scene.holdfast()
        const hold = await write(holding, scene.name).acquire({ leaseMs: 60_000 })
        const also = await fair(holding, scene.name).acquire({ leaseMs: 60_000 })
        await leaves(leaving, scene.name).isLocked()
        const answer = scene.holdReply(calls(script))
        const call = leave(leaves(leaving, scene.name), end)
        const held = await answer
        const closing = end === 'close' ? leaving.close() : undefined
        call.end()
        await call.ended
        held.letGo()
        await closing
        const wait = waits(waiting, scene.name).acquire()
        await inLine()
        await Promise.all([hold.release(), also.release()])
        await grantedAtOnce(wait)
      },
    )

    test('a place whose call nobody could undo costs those behind it one first lease, with its process alive', async () => {
      const holding = scene.holdfast({}, { proxied: false })
      const leaving = scene.holdfast({ watchdogMs: GHOST_MS })
      const hold = await write(holding, scene.name).acquire({ leaseMs: 60_000 })
      const also = await fair(holding, scene.name).acquire({ leaseMs: 60_000 })
      const wait = leaves(leaving, scene.name).acquire()
      await inLine()
      // As if its end had never reached the store.
      const [client = ''] = leaving.owner().split(':')
      const ghost = `${client}:999999`
      const mode = script === 'acquire' ? 'x' : leaves === read ? 'r' : 'w'
      const key = (what: string): string =>
        `holdfast_${script === 'acquire' ? '' : 'rw_'}${what}:{${scene.name}}`
      await scene.direct.zadd(key('line'), 0, `${mode}:${ghost}`)
      const known = String(await scene.direct.hget(key('processes'), client))
      await scene.direct.hset(key('processes'), client, known.replace(/ 1$/, ' 2'))
      await Promise.all([hold.release(), also.release()])
      await grantedAtOnce(wait)
    })
  })

  async function inLine(): Promise<void> {
    await eventually(async () => {
      const lines = ['line', 'rw_line'].map((line) => `holdfast_${line}:{${scene.name}}`)
      const counts = await Promise.all(lines.map((line) => scene.direct.zcard(line)))
      return counts.some((count) => count > 0)
    })
  }
})

describe('H15: in memory', () => {
  test.each(kinds)('$kind: an abort in the same tick leaves no place', async ({ leaves, waits }) => {
    const store = new MemoryStore()
    const clients = [1, 2, 3].map(() => new Holdfast(store))
    const [holding, leaving, waiting] = clients
    if (!holding || !leaving || !waiting) throw new Error('three clients')
    const hold = await write(holding, 'lock').acquire()
    const also = await fair(holding, 'lock').acquire()
    for (const end of ['abort', 'close'] as const) {
      const call = leave(leaves(leaving, 'lock'), end)
      if (end === 'close') void leaving.close()
      call.end()
      await call.ended
    }
    const wait = waits(waiting, 'lock').acquire()
    await new Promise((resolve) => setImmediate(resolve))
    await Promise.all([hold.release(), also.release()])
    await grantedAtOnce(wait)
    await Promise.all(clients.map((client) => client.close()))
  })
})
