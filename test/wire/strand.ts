import type { Socket } from 'node:net'

export type Direction = 'up' | 'down'

/** What a wire does to all that passes it at the moment. */
export interface Weather {
  readonly delayMs: number
  readonly silent: ReadonlySet<Direction>
}

/** One connection through a wire. Who reads a protocol overrides {@link up} and {@link down}. */
export class Strand {
  closed = false
  #silent = false
  /** What waits for a silence to end. */
  readonly #held: Array<() => void> = []
  /** What is on its way in each direction, first in, first out: its delay may change, its order must not. */
  readonly #underWay: Readonly<
    Record<Direction, Array<{ readonly dueAt: number; readonly pass: () => void }>>
  > = {
    up: [],
    down: [],
  }

  constructor(
    /** Which of the wire's connections it is, counted from 0. */
    readonly index: number,
    private readonly client: Socket,
    private readonly server: Socket,
    private readonly weather: Weather,
  ) {
    this.#lead('up', client, server)
    this.#lead('down', server, client)
  }

  get silent(): boolean {
    return this.#silent
  }

  /** From now on nothing passes in either direction, for good, and neither side is told, not even of an end. */
  silence(): void {
    this.#silent = true
  }

  break(): void {
    this.closed = true
    this.client.destroy()
    this.server.destroy()
  }

  /** Passes on what waited for a silence of the wire to end. */
  deliverHeld(): void {
    for (const send of this.#held.splice(0)) send()
  }

  protected up(chunk: Buffer): void {
    this.send('up', chunk)
  }

  protected down(chunk: Buffer): void {
    this.send('down', chunk)
  }

  protected send(direction: Direction, bytes: Buffer): void {
    const to = direction === 'up' ? this.server : this.client
    this.#pass(direction, () => to.write(bytes))
  }

  #lead(direction: Direction, from: Socket, to: Socket): void {
    from.setNoDelay(true)
    // What goes wrong on one side is shown to the other as the end of the connection.
    from.on('error', () => undefined)
    from.on('data', (chunk) => {
      if (!this.#silent) this[direction](chunk)
    })
    // A side that says goodbye waits for the other's: a hung server says none.
    from.on('end', () => {
      this.closed = true
      this.#pass(direction, () => to.end())
    })
    from.on('close', () => {
      this.closed = true
      this.#pass(direction, () => to.destroySoon())
    })
  }

  #pass(direction: Direction, pass: () => void): void {
    if (this.#silent) return
    const send = (): void => this.#delay(direction, pass)
    if (this.weather.silent.has(direction) || this.#held.length > 0) this.#held.push(send)
    else send()
  }

  #delay(direction: Direction, pass: () => void): void {
    const underWay = this.#underWay[direction]
    const now = performance.now()
    const dueAt = Math.max(now + this.weather.delayMs, underWay.at(-1)?.dueAt ?? 0)
    if (underWay.length === 0 && dueAt <= now) {
      pass()
      return
    }
    underWay.push({ dueAt, pass })
    // Whichever timer fires, what was sent first passes first.
    setTimeout(() => underWay.shift()?.pass(), dueAt - now)
  }
}
