/** Locks of real processes on one file: what only processes show, which end, are killed and stand still. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import { Forked } from '../redisson/forked.js'
import { eventually } from '../setup/eventually.js'
import type { SectionTask } from './section.fixture.js'
import { Stand } from './stand.js'

const stand = new Stand()

let files = 0

class Scene {
  readonly path = stand.path()
  readonly #notes = join(stand.folder, `notes-${++files}`)

  constructor() {
    writeFileSync(this.#notes, '')
  }

  async start(task: Partial<SectionTask> = {}): Promise<Forked> {
    const whole: SectionTask = { path: this.path, notes: this.#notes, calls: 5, ...task }
    const forked = Forked.start(new URL('./section.fixture.ts', import.meta.url), whole)
    expect(await forked.told()).toBe('goes')
    return forked
  }

  /** What was noted: in or out, which process, which token. */
  notes(): Array<{ what: string; pid: number; fence: bigint }> {
    const lines = readFileSync(this.#notes, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => {
      const [what = '', pid, fence = ''] = line.split(' ')
      return { what, pid: Number(pid), fence: BigInt(fence) }
    })
  }

  /** Every section ended before the next began, but for those of killed processes; and every token is greater than those before. */
  check(killed: ReadonlySet<number> = new Set()): void {
    let inside: { pid: number; fence: bigint } | undefined
    let last = 0n
    for (const { what, pid, fence } of this.notes()) {
      if (what === 'out') expect(inside).toEqual({ pid, fence })
      else {
        if (inside) expect(killed).toContain(inside.pid)
        expect(fence).toBeGreaterThan(last)
        last = fence
      }
      inside = what === 'in' ? { pid, fence } : undefined
    }
  }
}

async function end(forked: Forked): Promise<void> {
  forked.send('end')
  expect(await forked.ended()).toBe(0)
  expect(forked.errors).toBe('')
}

test('processes that are killed, wherever they are, hold nobody up', async () => {
  const scene = new Scene()
  const survivor = await scene.start()
  const killed = new Set<number>()
  for (let round = 0; round < 8; round += 1) {
    const victims = await Promise.all([scene.start(), scene.start()])
    const { length } = scene.notes()
    await eventually(
      () => scene.notes().length,
      (count) => count > length + 60,
    )
    for (const victim of victims) {
      killed.add(victim.pid)
      await victim.kill()
    }
  }
  const { length } = scene.notes()
  // With a lease of 30 seconds, which nobody waits for.
  await eventually(
    () => scene.notes().length,
    (count) => count > length + 60,
  )
  await end(survivor)
  scene.check(killed)
}, 90_000)

test('a holder that is killed holds nothing any more, long before its lease ends', async () => {
  const scene = new Scene()
  const holder = await scene.start({ calls: 1, stays: true })
  expect(await holder.told()).toBe('stays')
  await using holdfast = new Holdfast(sqlite(scene.path))
  const lock = holdfast.fencedLock('one')
  expect(await lock.tryAcquire()).toBeNull()
  const waiting = lock.acquire({ waitMs: 15_000 })
  await eventually(
    () => lock.countWaitingClients(),
    (count) => count === 1,
  )
  await holder.kill()
  const hold = await waiting
  expect(hold.fence).toBeGreaterThan(scene.notes().at(-1)?.fence ?? 0n)
  await hold.release()
})

test('a holder that stands still keeps its lock until its lease ends, and is told when it wakes up', async () => {
  const scene = new Scene()
  await using holdfast = new Holdfast(sqlite(scene.path))
  const frozen = await scene.start({ calls: 1, stays: true, watchdogMs: 3_000 })
  expect(await frozen.told()).toBe('stays')
  process.kill(frozen.pid, 'SIGSTOP')
  const lock = holdfast.fencedLock('one')
  const { remainingMs } = await lock.inspect()
  expect(await lock.tryAcquire()).toBeNull()
  expect(remainingMs).toBeGreaterThan(0)
  await (await lock.acquire({ waitMs: 10_000 })).release()
  expect(scene.notes().map(({ what }) => what)).toEqual(['in'])
  process.kill(frozen.pid, 'SIGCONT')
  await eventually(() => scene.notes().at(-1)?.what === 'out')
})
