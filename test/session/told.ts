import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import { now } from '../chaos/history/event.js'
import { until } from '../servers/until.js'
import type { Task } from './holders.fixture.js'
import { Holders } from './holders.js'

/** The sessions of so many clients end, in so many processes: that many runs in all. */
const CLIENTS = 5
const PROCESSES = 4

export interface Ending {
  readonly store: Task['store']
  readonly servers: readonly string[]
  /** Who waits for the locks, by another way. */
  readonly observer: Holdfast
  /** Has the sessions of the process end. */
  end(holders: Holders): void
  goOn(holders: Holders): void
  /** Whether the process runs meanwhile, and so is told at its time. */
  readonly runs: boolean
}

/**
 * Each holder knows before an observer has its lock: its time is over by then, by the clock that all processes of the machine share, and
 * it is told once.
 */
export async function expectTold({ store, servers, observer, end, goOn, runs }: Ending): Promise<void> {
  const crews = await Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      const names = Array.from({ length: CLIENTS }, () => `told-${randomUUID()}`)
      return { names, holders: await Holders.start({ store, servers, names, watchdogMs: 1_500 }) }
    }),
  )
  try {
    const seen = crews.flatMap(({ names, holders }) =>
      names.map(async (name) => {
        const hold = await observer.lock(name).acquire()
        const freeAt = now()
        await hold.release()
        return { name, holders, freeAt }
      }),
    )
    for (const { holders } of crews) end(holders)
    const losses = await Promise.all(seen)
    for (const { holders } of crews) goOn(holders)
    await until(() => losses.every(({ name, holders }) => holders.lostAt(name).length > 0), { what: 'told' })
    for (const { name, holders, freeAt } of losses) {
      expect(holders.sureUntil(name)).toBeLessThan(freeAt)
      const [lostAt = 0, ...again] = holders.lostAt(name)
      if (runs) expect(lostAt).toBeLessThan(freeAt)
      expect(again).toEqual([])
    }
    expect(losses).toHaveLength(20)
  } finally {
    await Promise.all(crews.map(({ holders }) => holders.stop()))
  }
}
