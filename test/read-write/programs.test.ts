/** Whatever is asked in whatever order: nobody beside a writer, nobody's time changed by another, no line that stands still. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LockUpgradeError } from '../../src/base/errors/upgrade-error.js'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import { type MemberHold, ReadWriteLock, readWriteLocks } from '../../src/stores/rows/read-write-lock.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import { runsOr } from '../properties/runs.js'
import type { Side } from '../setup/port-client.js'
import { rowSettings } from '../setup/row-settings.js'
import { CLIENTS, owners, programs, type Step } from './program.js'

const NAME = 'lock'
const FIRST_LEASE_MS = 50
const RENEWED_MS = 120

class World {
  readonly clock = new VirtualClock()
  readonly #rows = new MemoryRows(this.clock)
  readonly #clients = Array.from({ length: CLIENTS }, (_, index) => {
    const settings = rowSettings(this.clock, { clientId: `client${index}`, firstLeaseMs: FIRST_LEASE_MS })
    const { readWriteLock } = new RowStoreSession(this.#rows, settings)
    if (!readWriteLock) throw new Error('rows in memory tell of grants')
    return readWriteLock
  })

  constructor() {
    // Whoever hears nothing is let in by nobody.
    for (const { read, write } of this.#clients)
      for (const port of [read, write]) port.watch(NAME, () => undefined)
  }

  /** Whom a step may concern, as a member of the store. */
  async take(step: Step): Promise<string | undefined> {
    if (step.does === 'pass') {
      this.clock.skip(step.ms)
      return undefined
    }
    if (step.does === 'force') {
      await this.#port(step.side, 0).forceUnlock(NAME)
      return undefined
    }
    const owner = owners[step.who] ?? 'client0:0'
    const port = this.#port(step.side, step.who % CLIENTS)
    const request = { name: NAME, owner, heldBefore: 0, leaseMs: RENEWED_MS }
    if (step.does === 'acquire') {
      await port.acquire({ ...request, leaseMs: step.leaseMs, waits: step.waits }).catch(refusedUpgrade)
    } else if (step.does === 'release') {
      await port.release({ name: NAME, owner, heldBefore: 1, repeated: false })
    } else if (step.does === 'abandon') {
      await port.abandon(request)
    } else {
      await Promise.all(port.renew([request]))
    }
    return `${step.side === 'read' ? 'r' : 'w'}:${owner}`
  }

  holds(): Map<string, MemberHold> {
    return new Map(this.#lock.members)
  }

  /** Whether somebody who is alive could enter and has not been let in. */
  stalled(): boolean {
    const { head } = this.#lock.line
    return head !== undefined && this.#lock.admits(head)
  }

  get empty(): boolean {
    return this.#lock.members.length === 0 && this.#lock.line.empty
  }

  get #lock(): ReadWriteLock {
    return new ReadWriteLock(NAME, this.#rows.at(readWriteLocks, NAME))
  }

  #port(side: Side, client: number) {
    const ports = this.#clients[client]
    if (!ports) throw new Error(`there is no client ${client}`)
    return ports[side]
  }
}

function refusedUpgrade(error: unknown): void {
  if (!(error instanceof LockUpgradeError)) throw error
}

/** Whatever programs there are: each is run in a world of its own. */
async function inAnyProgram(check: (world: World, steps: readonly Step[]) => Promise<void>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(programs, (steps) => check(new World(), steps)),
    runsOr(300),
  )
}

test('a writer is alone but for its own read; tokens of writes grow', async () => {
  await inAnyProgram(async (world, steps) => {
    let lastWrite = -1n
    for (const step of steps) {
      await world.take(step)
      const holds = world.holds()
      const writer = [...holds.keys()].find((member) => member.startsWith('w:'))
      if (!writer) continue
      expect([...holds.keys()].filter((member) => member.slice(2) !== writer.slice(2))).toEqual([])
      const fence = BigInt(holds.get(writer)?.fence ?? -1)
      expect(fence).toBeGreaterThanOrEqual(lastWrite)
      lastWrite = fence
    }
  })
})

test('redisson#1458, #2144: the time left of a hold is changed by nobody but its own owner', async () => {
  await inAnyProgram(async (world, steps) => {
    for (const step of steps) {
      const before = world.holds()
      const concerned = await world.take(step)
      const after = world.holds()
      for (const [member, hold] of before) {
        const now = after.get(member)
        if (member !== concerned && now?.fence === hold.fence) expect(now).toEqual(hold)
      }
      // Nobody's hold ends by another's doing, unless it is forced open.
      const gone = [...before].filter(
        ([member, { endsAt }]) => !after.has(member) && endsAt > world.clock.now() && member !== concerned,
      )
      if (step.does !== 'force') expect(gone).toEqual([])
    }
  })
})

test('nobody who could enter is left waiting by a step, and nothing is left when all is over', async () => {
  await inAnyProgram(async (world, steps) => {
    for (const step of steps) {
      await world.take(step)
      // What time alone has ended, and a renewal, which changes nobody else's affairs, are seen by the next that looks.
      if (step.does !== 'pass' && step.does !== 'renew') expect(world.stalled()).toBe(false)
    }
    for (const who of owners.keys()) {
      for (const side of ['read', 'write'] as const) await world.take({ does: 'abandon', side, who })
    }
    expect(world.empty).toBe(true)
  })
})
