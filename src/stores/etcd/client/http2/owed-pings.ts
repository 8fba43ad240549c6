import { setTimeout } from '../../../../base/time/machine-time.js'
import { frameFlags, frameTypes, writeFrame } from './frame.js'

/**
 * Servers in Go send a ping for every message that comes, unless an earlier ping has no answer yet: an answer at once would cost both ends as
 * much again as the message.
 */
const ANSWER_AFTER_MS = 200
/** How many pings of the server may be without an answer. */
const MOST_OWED = 100

/** Answers the server's pings, several at once. */
export function lateAnswers(send: (answers: Buffer) => void): (ping: Buffer) => void {
  const owed: Buffer[] = []
  return (ping) => {
    if (owed.length >= MOST_OWED) throw new RangeError('the server sends nothing but pings')
    if (owed.length === 0) setTimeout(() => send(Buffer.concat(owed.splice(0))), ANSWER_AFTER_MS).unref()
    owed.push(writeFrame(frameTypes.ping, frameFlags.ack, 0, ping))
  }
}
