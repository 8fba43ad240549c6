/** What waiting costs in a store of rows without messages, in virtual time: one trip to read a row, one to write it. */
import { expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import type { StoreSettings } from '../../src/port/store.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import type { RowSession, Rows } from '../../src/stores/rows/rows.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import { inVirtualTime, passing } from '../unit/in-virtual-time.js'

const READ_MS = 0.4
/** With the wait for the disk. */
const WRITE_MS = 2.6
const SECTION_MS = 1.2
const [PROCESSES, CALLS, BURSTS] = [4, 25, 20]

/** Rows as a database in the network has them, that tells nobody anything. */
class SilentRows implements Rows {
  statements = 0
  readonly #rows: MemoryRows

  constructor(readonly clock: VirtualClock) {
    this.#rows = new MemoryRows(clock)
  }

  openRows(settings: StoreSettings): RowSession {
    const { names, close, change } = this.#rows.openRows(settings, {
      message: () => undefined,
      missed: () => undefined,
    })
    return {
      names,
      close,
      change: async (shape, name, decide) => {
        await this.#trip(READ_MS)
        let written = false
        const result = await change(shape, name, (draft) => {
          const before = shape.pack(draft.body)
          const decided = decide(draft)
          const after = shape.pack(draft.body)
          written = before.owner !== after.owner || before.endsAt !== after.endsAt
          return decided
        })
        if (written) await this.#trip(WRITE_MS)
        return result
      },
    }
  }

  async #trip(ms: number): Promise<void> {
    this.statements += 1
    await passing(this.clock, ms)
  }
}

/** All calls of all processes want the lock at one moment. Resolves when the last is through. */
async function burst() {
  const clock = new VirtualClock()
  const rows = new SilentRows(clock)
  const store = { clock, open: (settings: StoreSettings) => new RowStoreSession(rows, settings) }
  const processes = Array.from({ length: PROCESSES }, () => new Holdfast(store))
  const sections = processes.flatMap((holdfast) =>
    Array.from({ length: CALLS }, () => holdfast.lock('wanted').withLock(() => passing(clock, SECTION_MS))),
  )
  await inVirtualTime(clock, Promise.all(sections))
  const tookMs = clock.now()
  await Promise.all(processes.map((holdfast) => holdfast.close()))
  return { tookMs, statements: rows.statements }
}

test('a burst of four processes that poll: most of the time somebody is inside, at half a statement for each section', async () => {
  const total = { tookMs: 0, statements: 0 }
  for (let round = 0; round < BURSTS; round += 1) {
    const { tookMs, statements } = await burst()
    total.tookMs += tookMs
    total.statements += statements
  }
  const sections = BURSTS * PROCESSES * CALLS
  expect(total.tookMs).toBeLessThan(sections * SECTION_MS * 2.5)
  expect(total.statements).toBeLessThan(sections * 0.6)
})
