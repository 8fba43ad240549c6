import { ClosedError } from '../../base/errors/errors.js'
import type { Owner } from '../../base/identity/owner.js'
import { retryPauseMs } from '../../base/time/back-off.js'
import { KeepAlive } from '../../base/time/keep-alive.js'
import type { Schedule } from '../../base/time/schedule.js'
import { WakeUpSemaphore } from '../../base/waiting/wake-up.js'
import type { Locker } from '../../core/locker.js'
import { isTransient } from '../../port/failure.js'
import type { Watch } from '../../port/lock-port.js'
import type { Bell } from './bell.js'

/** Who leads, as the store has it. */
export interface LeaderState {
  /**
   * As whom the store knows the leader. To its own process that is `term.owner`. To others it may be another candidate of that process, which
   * has left the line and whose place this one was given; `fence` is that of the term for everybody.
   */
  readonly owner: Owner
  /** Its client's label, if known. */
  readonly label: string | undefined
  /** The token of its term, `term.fence` there; undefined if the store has forgotten it. */
  readonly fence: bigint | undefined
  /** How long it leads without another renewal, in milliseconds. */
  readonly remainingMs: number
}

/** How often an observer looks whom nobody calls. */
const LOOK_MS = 1_000
/** The least pause between looks: an observer that hears the bell also looks when the lease that it saw has ended. */
const LEAST_LOOK_MS = 50

/** What an observer needs. */
export interface ObserverParts {
  readonly look: () => Promise<LeaderState | undefined>
  readonly locker: Locker
  readonly bell: Bell | undefined
  /** Run when the client closes. */
  readonly atEnd: Set<() => void>
}

/** What an observer hears the bell with. */
class Ear {
  /** Whether it hears the bell. */
  hears = false
  #watch: Watch | undefined

  constructor(
    private readonly bell: Bell | undefined,
    private readonly wake: () => void,
  ) {}

  /** Begins to listen, unless it listens already. After a failure, the next look begins anew. */
  listen(): void {
    if (this.#watch) return
    this.#watch = this.bell?.hear(this.wake)
    this.#watch?.confirmed.then(
      () => {
        this.hears = true
        this.wake()
      },
      () => this.close(),
    )
  }

  close(): void {
    this.#watch?.close()
    this.#watch = undefined
  }
}

/** The leader now, then each change of the leader; of several changes while its reader was busy the last. Ends when `signal` aborts. */
export function observe(
  parts: ObserverParts,
  signal: AbortSignal | undefined,
): AsyncGenerator<LeaderState | undefined, void, void> {
  const left = new AbortController()
  const states = observed(parts, signal, left.signal)
  const end = states.return.bind(states)
  // A reader may leave while it awaits a change, as streams do: a generator alone would have it wait for that change.
  states.return = (value) => {
    left.abort()
    return end(value)
  }
  return states
}

async function* observed(
  { look, locker, bell, atEnd }: ObserverParts,
  signal: AbortSignal | undefined,
  left: AbortSignal,
): AsyncGenerator<LeaderState | undefined, void, void> {
  const ended = (): boolean => left.aborted || signal?.aborted === true
  const wakeUp = new WakeUpSemaphore()
  const wake = (): void => wakeUp.wake()
  const keepAlive = new KeepAlive()
  keepAlive.enter()
  const ear = new Ear(bell, wake)
  atEnd.add(wake)
  left.addEventListener('abort', wake)
  signal?.addEventListener('abort', wake)
  try {
    let before: string | undefined
    for (let failures = 0; !ended(); ) {
      wakeUp.drain()
      ear.listen()
      let lookInMs: number
      try {
        const leader = await look()
        failures = 0
        const leastMs = Math.max(leader?.remainingMs ?? Infinity, LEAST_LOOK_MS)
        lookInMs = Math.min(leastMs, ear.hears ? locker.settings.watchdogMs : LOOK_MS)
        const seen = leader ? `${leader.owner} ${leader.fence}` : 'nobody'
        const changed = seen !== before
        before = seen
        if (changed && !ended()) yield leader
      } catch (error) {
        // What a store refuses then is the client's end, whatever it says.
        if (locker.closed) throw new ClosedError()
        if (!isTransient(error)) throw error
        failures += 1
        lookInMs = retryPauseMs(failures)
      }
      if (locker.closed) throw new ClosedError()
      if (!ended()) await sleep(locker.schedule, wakeUp, lookInMs)
      if (locker.closed) throw new ClosedError()
    }
  } finally {
    signal?.removeEventListener('abort', wake)
    atEnd.delete(wake)
    ear.close()
    keepAlive.end()
  }
}

/** Until somebody calls, or for so long. */
function sleep(schedule: Schedule, wakeUp: WakeUpSemaphore, forMs: number): Promise<void> | undefined {
  if (wakeUp.takePermit()) return undefined
  return new Promise((resolve) => {
    const alarm = schedule.at(schedule.clock.now() + forMs, () => {
      wakeUp.getUp()
      resolve()
    })
    wakeUp.sleepOn(() => {
      schedule.cancel(alarm)
      resolve()
    })
  })
}
