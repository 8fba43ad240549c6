import type { Owner } from '../../src/base/identity/owner.js'
import type { Hold } from '../../src/kinds/hold.js'
import type { Server } from './server.js'
import { short } from './slow-port.js'

/** A call for the lock, from its start to its grant or its end. */
export interface Ask {
  readonly client: number
  readonly name: string
  /** Whether it is made for an owner of its own, outside any scope: then nothing but its place in the queue counts. */
  readonly fresh: boolean
  /** Whether it makes one attempt only: then it takes no place in the queue. */
  readonly once: boolean
  /** Whether its lease may be over before its grant is there: then it lets those behind it go first. */
  readonly short: boolean
  readonly since: number
  /** Its wait is over: aborted, timed out or closed, though it may not have heard of it yet. */
  expired(): boolean
}

/** A hold as the task that has it sees it. */
export interface Held {
  readonly client: number
  readonly hold: Hold
  readonly serial: bigint
  /** Whether the client's event loop runs, so that it can be expected to have heard what there is to hear. */
  awake(): boolean
  released: boolean
}

/** What the tasks experienced, checked against the promises while it happens. */
export class History {
  readonly asks = new Set<Ask>()
  readonly holds = new Set<Held>()
  /** Tenures that a client has lost by its own clock: the store may have them a little longer. */
  readonly given = new Set<bigint>()
  /** Clients that gave up giving back when they were closed: what they left ends with its lease. */
  readonly gaveUp = new Set<number>()
  /** Whether a command has timed out, or a fault has occurred: then wake-ups take pauses and timeouts longer. */
  troubled = false
  readonly lines: string[] = []
  /** The first violation of a promise, with what led to it. */
  violation: Error | undefined

  constructor(private readonly server: Server) {}

  log(line: string): void {
    this.lines.push(`${this.server.clock.now().toFixed(1).padStart(9)}  ${line}`)
  }

  fail(message: string): void {
    this.log(`VIOLATION: ${message}`)
    this.violation ??= new Error(`${message}\n${this.lines.join('\n')}`)
  }

  ask(ask: Ask): void {
    this.asks.add(ask)
    this.log(`c${ask.client} asks for ${ask.name}`)
  }

  refused(ask: Ask, error: unknown): void {
    this.asks.delete(ask)
    const why = error instanceof Error ? `${error.name} ${'code' in error ? error.code : ''}` : error
    this.log(`c${ask.client} is refused ${ask.name}: ${why}`)
  }

  granted(ask: Ask, hold: Hold, awake: () => boolean): Held {
    this.asks.delete(ask)
    const { client, name } = ask
    this.log(`c${client} has ${name} as ${short(hold.owner)}, tenure ${hold.fence}`)
    if (hold.fence === undefined) throw new Error('a grant without the number of its tenure')
    const held: Held = { client, hold, serial: hold.fence, awake, released: false }
    // Reading `signal` is what makes it: a task that works on guarded data has it in hand from the start.
    hold.signal.addEventListener('abort', () => {
      this.given.add(held.serial)
      this.log(`c${client} lost ${name} as ${short(hold.owner)}: ${String(hold.signal.reason?.code)}`)
    })
    if (hold.signal.aborted) this.given.add(held.serial)
    this.#checkSignalled(held)
    if (ask.fresh && !ask.once) this.#checkTurn(ask)
    this.holds.add(held)
    return held
  }

  /** A client knows that it has lost the lock, or will not look after it any more: what the store has of it ends with its lease. */
  givenUp(name: string, owner: Owner): void {
    const serial = this.server.serial(name)
    if (serial !== undefined && this.server.isWith(name, owner)) this.given.add(serial)
  }

  /** The task lets go: from now on it does not rely on the lock, whatever becomes of the release. */
  releasing(held: Held): void {
    if (held.released) return
    held.released = true
    this.holds.delete(held)
    this.log(`c${held.client} releases ${held.hold.name} as ${short(held.hold.owner)}`)
  }

  /** What must be so at every moment. */
  check(): void {
    for (const { client, hold, serial } of this.holds) {
      if (hold.remainingMs() <= 0 || this.server.forced.has(serial)) continue
      const { name, owner } = hold
      if (this.server.serial(name) !== serial) {
        const holder = this.server.lock(name).owner
        const truth = holder === undefined ? 'nobody has it' : `${short(holder)} has it`
        this.fail(`c${client} believes it holds ${name} as ${short(owner)} (tenure ${serial}), but ${truth}`)
      }
    }
  }

  /** Nobody else enters before the last holder was told that it lost the lock. */
  #checkSignalled({ hold, serial }: Held): void {
    for (const other of this.holds) {
      if (other.hold.name !== hold.name || other.hold.owner === hold.owner) continue
      if (this.server.forced.has(serial) || this.server.forced.has(other.serial)) continue
      if (!other.awake() || other.hold.signal.aborted) continue
      this.fail(
        `${short(hold.owner)} (tenure ${serial}) entered ${hold.name}, and c${other.client} ${short(other.hold.owner)} ` +
          `(tenure ${other.serial}), which neither released nor was told of a loss, is still in`,
      )
    }
  }

  /** First in, first out within a process (rule W3). */
  #checkTurn(ask: Ask): void {
    for (const other of this.asks) {
      if (other.client !== ask.client || other.name !== ask.name || !other.fresh || other.once || other.short)
        continue
      if (other.since > ask.since || other.expired()) continue
      this.fail(
        `c${ask.client}'s call ${ask.since} got ${ask.name} before its call ${other.since}, which came earlier`,
      )
    }
  }
}
