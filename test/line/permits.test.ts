/** Permits are granted in line: what a release gives back goes to the next, on the server, and nobody is passed for ever. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Holdfast, PermitExpirableSemaphore, Semaphore } from '../../src/index.js'
import { Scene } from '../fault/scene.js'
import { eventually } from '../setup/eventually.js'

const kinds = ['semaphore', 'permitExpirableSemaphore'] as const
const CLIENTS = 4
/** Of each client, while all are in their loops. */
const SECTIONS = 30

describe.each(
  kinds.flatMap((kind) => (['standalone', 'cluster'] as const).map((where) => ({ kind, where }))),
)('$kind in $where', ({ kind, where }) => {
  let scene: Scene
  beforeEach(async () => {
    scene = await Scene[where]()
  })
  afterEach(() => scene.end())

  const of = (holdfast: Holdfast): Semaphore | PermitExpirableSemaphore => holdfast[kind](scene.name)
  const line = (): string => `holdfast_${kind === 'semaphore' ? 'semaphore' : 'permits'}_line:{${scene.name}}`

  async function untilInLine(places: number): Promise<void> {
    await eventually(
      () => scene.direct.zcard(line()),
      (count) => count === places,
    )
  }

  test('faults B1, W3: what a release gives back is the next one’s before the release is answered', async () => {
    const [near, far] = [of(scene.holdfast()), of(scene.holdfast())]
    await near.trySetPermits(1)
    const hold = await near.acquire()
    const next = far.acquire()
    await untilInLine(1)
    await hold.release()
    expect(await near.tryAcquire()).toBeNull()
    expect(await scene.direct.get(scene.name)).toBe('0')
    await (await next).release()
    expect(await scene.direct.get(scene.name)).toBe('1')
    expect(await scene.direct.exists(line())).toBe(0)
  })

  test('faults B1, W3: one permit, four clients in a loop: each has its share, and nobody waits for more than two rounds', async () => {
    const clients = Array.from({ length: CLIENTS }, () => of(scene.holdfast()))
    await clients[0]?.trySetPermits(1)
    const turns: number[] = []
    const blocked = await clients[0]?.acquire()
    const loops = clients.map(async (client, index) => {
      for (let section = 0; section < SECTIONS; section += 1) {
        const hold = await client.acquire()
        turns.push(index)
        await new Promise((resolve) => setTimeout(resolve, 2))
        await hold.release()
      }
    })
    // Nobody begins before all are there.
    await untilInLine(CLIENTS)
    await blocked?.release()
    await Promise.all(loops)
    // Until the first of them is through.
    const all = turns.slice(0, Math.min(...clients.map((_, index) => turns.lastIndexOf(index))) + 1)
    const counts = clients.map((_, index) => all.filter((each) => each === index).length)
    expect(jain(counts)).toBeGreaterThanOrEqual(0.98)
    clients.forEach((_, index) => {
      expect(longestWait(all, index)).toBeLessThanOrEqual(2 * CLIENTS)
    })
  }, 60_000)

  test('faults B1: who wants many is passed by those that want few for a while, not for ever', async () => {
    const [near, far] = [of(scene.holdfast()), of(scene.holdfast())]
    await near.trySetPermits(2)
    const holds = [await near.acquire(), await near.acquire()]
    const many = far.acquire({ permits: 2 })
    await untilInLine(1)
    await holds.pop()?.release()
    // It is new: what is too little for it is there for others.
    await (await near.acquire({ waitMs: 10_000 })).release()
    // By then nobody may pass it any more.
    const entered: string[] = []
    void many.then(() => entered.push('many'))
    await eventually(async () => {
      const few = await near.tryAcquire()
      await few?.release()
      return few === null
    })
    const few = near.acquire().then((hold) => {
      entered.push('few')
      return hold
    })
    await untilInLine(2)
    await holds.pop()?.release()
    await (await many).release()
    await (await few).release()
    expect(entered).toEqual(['many', 'few'])
    expect(await near.availablePermits()).toBe(2)
  }, 60_000)

  test('faults B1, W4: who leaves the line, or has left it when the grant comes, leaves nothing behind', async () => {
    const [near, far] = [of(scene.holdfast()), of(scene.holdfast())]
    await near.trySetPermits(1)
    const hold = await near.acquire()
    const leave = new AbortController()
    const leaving = far.acquire({ signal: leave.signal }).catch((error: unknown) => error)
    await untilInLine(1)
    const next = near.acquire()
    await untilInLine(2)
    leave.abort('enough')
    expect(await leaving).toBe('enough')
    await untilInLine(1)
    await hold.release()
    await (await next).release()
    await eventually(
      () => scene.direct.get(scene.name),
      (available) => available === '1',
    )
    expect(await scene.direct.exists(line(), line().replace('_line:', '_processes:'))).toBe(0)
  })
})

/** Jain's index of fairness: 1, if all have the same. */
function jain(counts: readonly number[]): number {
  const sum = counts.reduce((total, count) => total + count, 0)
  return sum ** 2 / (counts.length * counts.reduce((total, count) => total + count ** 2, 0))
}

/** How many sections of others came between two of that client. */
function longestWait(turns: readonly number[], client: number): number {
  let [longest, last] = [0, -1]
  turns.forEach((each, index) => {
    if (each !== client) return
    longest = Math.max(longest, index - last - 1)
    last = index
  })
  return longest
}
