import { Redis } from 'ioredis'

/**
 * Counts the commands that this process sends, over whichever of its connections: all libraries in Node use the one ioredis.
 * The server's own counters would not do, because they also count what scripts call.
 */
export class SentCommands {
  #count = 0

  constructor() {
    const send = Redis.prototype.sendCommand
    const counter = this
    Redis.prototype.sendCommand = function (this: Redis, ...args: Parameters<typeof send>) {
      counter.#count += 1
      return send.apply(this, args)
    }
  }

  get count(): number {
    return this.#count
  }
}
