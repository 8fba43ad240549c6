/** Locks of real processes on one file, which are killed wherever they are. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Forked } from '../redisson/forked.js'
import { eventually } from '../setup/eventually.js'
import type { SectionTask } from './section.fixture.js'
import { Stand } from './stand.js'

const stand = new Stand()

const task: SectionTask = { path: stand.path(), notes: join(stand.folder, 'notes'), calls: 5 }

async function start(): Promise<Forked> {
  const forked = Forked.start(new URL('./section.fixture.ts', import.meta.url), task)
  expect(await forked.told()).toBe('goes')
  return forked
}

/** What was noted: in or out, which process, which token. */
function notes(): Array<{ what: string; pid: number; fence: bigint }> {
  const lines = readFileSync(task.notes, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => {
    const [what = '', pid, fence = ''] = line.split(' ')
    return { what, pid: Number(pid), fence: BigInt(fence) }
  })
}

/** Sixty more sections begin or end, with a lease of 30 seconds, which nobody waits for. */
async function untilMore(): Promise<void> {
  const { length } = notes()
  await eventually(() => notes().length > length + 60)
}

test('processes that are killed, wherever they are, hold nobody up', async () => {
  writeFileSync(task.notes, '')
  const survivor = await start()
  const killed = new Set<number>()
  for (let round = 0; round < 8; round += 1) {
    const victims = await Promise.all([start(), start()])
    await untilMore()
    for (const victim of victims) {
      killed.add(victim.pid)
      await victim.kill()
    }
  }
  await untilMore()
  survivor.send('end')
  expect(await survivor.ended()).toBe(0)
  expect(survivor.errors).toBe('')
  // Every section ended before the next began, but for those of killed processes; and every token is greater than those before.
  let inside: { pid: number; fence: bigint } | undefined
  let last = 0n
  for (const { what, pid, fence } of notes()) {
    if (what === 'out') expect(inside).toEqual({ pid, fence })
    else {
      if (inside) expect(killed).toContain(inside.pid)
      expect(fence).toBeGreaterThan(last)
      last = fence
    }
    inside = what === 'in' ? { pid, fence } : undefined
  }
}, 90_000)
