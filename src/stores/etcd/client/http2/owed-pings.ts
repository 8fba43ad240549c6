import { setTimeout } from '../../../../base/time/machine-time.js'
import { frameFlags, frameTypes, writeFrame } from './frame.js'

/**
 * Servers in Go send a ping for every message that comes, unless an earlier ping has no answer yet: an answer at once would cost both ends as
 * much again as the message.
 */
const ANSWER_AFTER_MS = 200
/** How many pings of the server may be without an answer. */
const MOST_OWED = 100

/** The server's pings that wait for an answer. */
export class OwedPings {
  #owed: Buffer[] = []

  constructor(private readonly send: (answers: Buffer) => void) {}

  add(ping: Buffer): void {
    if (this.#owed.length >= MOST_OWED) throw new RangeError('the server sends nothing but pings')
    if (this.#owed.length === 0) setTimeout(() => this.#answer(), ANSWER_AFTER_MS).unref()
    this.#owed.push(writeFrame(frameTypes.ping, frameFlags.ack, 0, ping))
  }

  #answer(): void {
    const answers = this.#owed
    this.#owed = []
    this.send(Buffer.concat(answers))
  }
}
