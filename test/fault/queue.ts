import { expect } from 'vitest'
import { type Hold, type Holdfast, type Lock, LockLostError } from '../../src/index.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { eventsOf } from './heard.js'
import type { Scene } from './scene.js'

/** However slow the machine, the time slice does not end meanwhile. */
export const patient = {
  handOverSliceMs: Number.POSITIVE_INFINITY,
  get commandTimeoutMs() {
    return lasting(300)
  },
}
/** Long enough that no lease ends here, so that nobody gets in by that. */
export const leased = { leaseMs: 60_000 }

/** Calls of one client that queue for a scene's lock, and what the client tells meanwhile. */
export class Queue {
  readonly holdfast: Holdfast
  readonly lock: Lock
  readonly told: readonly string[]

  constructor(readonly scene: Scene) {
    this.holdfast = scene.holdfast(patient)
    this.lock = this.holdfast.lock(scene.name)
    this.told = eventsOf(this.holdfast, ['acquired', 'released', 'lost', 'error'])
  }

  /** One call holds the lock and others wait for it, all with leases: each hand-over is a command. */
  async form(...others: { signal?: AbortSignal; waitMs?: number }[]): Promise<[Hold, Promise<Hold>[]]> {
    const hold = await this.lock.acquire(leased)
    const waits = others.map((options) => this.lock.acquire({ ...leased, ...options }))
    for (const wait of waits) wait.catch(() => undefined)
    await eventually(
      () => this.lock.countWaitingClients(),
      (count) => count === 1,
    )
    return [hold, waits]
  }

  /**
   * They get in one after the other, each alone, and only they are in the store.
   *
   * @param storeAnswers whether there is a store to ask all the while: not when it is restarted beside this.
   */
  async getInAlone(waits: readonly Promise<Hold>[], storeAnswers = true): Promise<void> {
    let inside = 0
    await Promise.all(
      waits.map(async (wait) => {
        const hold = await wait
        inside += 1
        expect(inside).toBe(1)
        hold.assertHeld()
        if (storeAnswers) {
          expect(Object.values(await this.scene.holds())).toEqual(['1'])
          expect((await this.lock.inspect()).owners).toMatchObject([{ owner: hold.owner, holds: 1 }])
        } else {
          await new Promise((resolve) => setImmediate(resolve))
        }
        hold.assertHeld()
        inside -= 1
        await hold.release().catch((error: unknown) => {
          // A server that is restarted without its data has lost the lock of whoever was in.
          if (storeAnswers || !(error instanceof LockLostError)) throw error
        })
      }),
    )
  }
}
