import type { VirtualClock } from '../../src/stores/memory/index.js'

/** How a command travels to the server, and its answer back: in so many milliseconds, or until that resolves. */
export interface Journey {
  readonly there?: number | Promise<void>
  readonly back?: number | Promise<void>
  /** What it fails with before it has come to the server. */
  readonly refused?: Error
  /** What it fails with although it was carried out. */
  readonly lost?: Error
}

/** A network in virtual time: commands and messages travel on ways of their own, so that one can overtake the other. */
export class Network {
  /** How many commands were sent. */
  sent = 0
  /** Asked for each command of a client, by what that is for; by default it takes no time. */
  journey: (client: string, what: string) => Journey = () => ({})
  /** How long the next message takes. */
  messageMs: () => number = () => 0

  constructor(readonly clock: VirtualClock) {}

  async carry<Reply>(client: string, what: string, send: () => Promise<Reply>): Promise<Reply> {
    this.sent += 1
    const { there, back, refused, lost } = this.journey(client, what)
    await this.#travelled(there)
    if (refused) throw refused
    const reply = await send()
    await this.#travelled(back)
    if (lost) throw lost
    return reply
  }

  /** A way for messages to one client, which come in the order in which they are sent. */
  wayOfMessages(): (hear: () => void) => void {
    let lastAt = 0
    return (hear) => {
      const { clock } = this
      lastAt = Math.max(lastAt, clock.now() + this.messageMs())
      if (lastAt > clock.now()) clock.startTimer(hear, lastAt - clock.now())
      else hear()
    }
  }

  async #travelled(way: Journey['there'] = 0): Promise<void> {
    if (typeof way !== 'number') await way
    else if (way > 0) await new Promise<void>((resolve) => void this.clock.startTimer(resolve, way))
  }
}
