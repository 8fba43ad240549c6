import { StoreError } from '../../base/errors/errors.js'
import { BackOff } from '../../base/time/back-off.js'
import { pause } from '../../base/time/schedule.js'
import type { StoreSettings } from '../../port/store.js'
import type { Draft, Message, Versioned, VersionedTable } from './rows.js'
import { isSame, type Keyspace, NO_ROW, type Packed, type Shape, unreadableRow } from './shape.js'

/** The pauses of a client that other clients outrun again and again. */
const CONFLICTS = new BackOff({ firstPauseMs: 1, longestPauseMs: 50, factor: 2 })

/** The first conflicts cost nothing but a new attempt: of the clients that change a row at once, one always succeeds. */
const FREE_CONFLICTS = 2

type Letter = readonly [client: string, message: Message]

/** What a call does to a row, whatever the shape of that row. */
interface Step {
  /** Whether its caller has an answer, or no longer waits for one. */
  readonly over: boolean
  /** The new row; the same object if nothing changes. */
  apply(packed: Packed | undefined, seen: Versioned, letters: Letter[]): Packed | undefined
  /** Settles the caller with the result of the last `apply`, which the table now has. */
  settle(): void
  fail(error: unknown): void
}

/**
 * Changes rows of a table across a network: reads a row with its version, and writes it if it still has that version. Callers of this
 * client that want the same row meanwhile share one read and one write, so that they do not compete with each other.
 */
export class CompareAndSet {
  /** The next steps, by the rows that this client is changing. */
  readonly #steps = new Map<string, Step[]>()

  constructor(
    private readonly table: VersionedTable,
    private readonly settings: Pick<StoreSettings, 'schedule' | 'commandTimeoutMs'>,
  ) {}

  /** As `change` of `RowSession`. Rejects with a transient `StoreError` after `commandTimeoutMs`; the change may still happen then. */
  change<Body, Result>(
    shape: Shape<Body>,
    name: string,
    change: (draft: Draft<Body>) => Result,
  ): Promise<Result> {
    const { schedule, commandTimeoutMs } = this.settings
    return new Promise((resolve, reject) => {
      const settle = (done: () => void): void => {
        step.over = true
        schedule.cancel(alarm)
        done()
      }
      const step = {
        over: false,
        outcome: (): void => undefined,
        apply: (packed: Packed | undefined, seen: Versioned, letters: Letter[]) => {
          const body = packed ? read(shape, packed, name) : shape.blank()
          const before = shape.pack(body)
          const own: Letter[] = []
          try {
            const result = change(draftOf(body, seen, own))
            step.outcome = () => resolve(result)
          } catch (error) {
            step.outcome = () => reject(error)
            return packed
          }
          letters.push(...own)
          const after = shape.pack(body)
          return isSame(before, after) ? packed : after
        },
        settle: () => settle(step.outcome),
        fail: (error: unknown) => settle(() => reject(error)),
      }
      const alarm = schedule.at(schedule.clock.now() + commandTimeoutMs, () =>
        step.fail(timeout(name, commandTimeoutMs)),
      )
      this.#add(shape.keyspace, name, step)
    })
  }

  #add(keyspace: Keyspace, name: string, step: Step): void {
    const row = `${keyspace}:${name}`
    const waiting = this.#steps.get(row)
    if (waiting) {
      waiting.push(step)
      return
    }
    const steps = [step]
    this.#steps.set(row, steps)
    void this.#work(keyspace, name, steps, () => this.#steps.delete(row))
  }

  async #work(keyspace: Keyspace, name: string, waiting: Step[], done: () => void): Promise<void> {
    let conflicts = 0
    let taken: Step[] = []
    for (;;) {
      // A step that comes from now on must not see this older read: it waits for the next round.
      taken = [...taken, ...waiting.splice(0)].filter(({ over }) => !over)
      if (taken.length === 0) return done()
      try {
        if (await this.#round(keyspace, name, taken)) {
          for (const step of taken.splice(0)) step.settle()
          conflicts = 0
        } else {
          conflicts += 1
          if (conflicts > FREE_CONFLICTS)
            await pause(this.settings.schedule, CONFLICTS.pauseMs(conflicts - FREE_CONFLICTS, Math.random()))
        }
      } catch (error) {
        for (const step of taken.splice(0)) step.fail(error)
      }
    }
  }

  /** False if another client was faster. */
  async #round(keyspace: Keyspace, name: string, steps: readonly Step[]): Promise<boolean> {
    const sentAt = this.settings.schedule.clock.now()
    const read = await this.table.read(keyspace, name)
    const seen = { ...read, askedAt: read.askedAt ?? sentAt }
    const letters: Letter[] = []
    let packed = seen.packed
    for (const step of steps) {
      if (!step.over) packed = step.apply(packed, seen, letters)
    }
    const written = packed ?? (letters.length > 0 ? NO_ROW : undefined)
    if (!written || (packed === seen.packed && letters.length === 0)) return true
    return await this.table.write(keyspace, name, seen.version, written, letters)
  }
}

function draftOf<Body>(body: Body, seen: Versioned, letters: Letter[]): Draft<Body> {
  return {
    body,
    now: seen.now,
    askedAt: seen.askedAt,
    // Tokens start at the clock's microseconds and grow by one with each tenure.
    firstFence: BigInt(Math.floor(seen.now * 1_000)),
    reaches: (client) => !seen.unreachable.has(client),
    ended: (client) => seen.ended?.(client) === true,
    tieEnded: (tie) => seen.endedTies?.has(tie) === true,
    tell: (client, message) => letters.push([client, message]),
  }
}

function read<Body>(shape: Shape<Body>, packed: Packed, name: string): Body {
  try {
    return shape.unpack(packed)
  } catch (cause) {
    throw unreadableRow('read', name, cause)
  }
}

function timeout(name: string, timeoutMs: number): StoreError {
  return new StoreError('timeout', 'change', {
    lockName: name,
    transient: true,
    hint: `The row was not changed within ${timeoutMs} ms (commandTimeoutMs).`,
  })
}
