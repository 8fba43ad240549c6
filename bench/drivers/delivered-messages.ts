import { Redis } from 'ioredis'

/** Emitted once for each message that arrives, whether or not anybody listens. */
const ARRIVALS: readonly unknown[] = ['messageBuffer', 'smessageBuffer', 'pmessageBuffer']

/**
 * Counts the messages that the server delivers to this process, over whichever of its connections: each wakes it. The server
 * counts what is published, not to how many it goes.
 */
export class DeliveredMessages {
  #count = 0

  constructor() {
    const emit = Redis.prototype.emit
    const counter = this
    Redis.prototype.emit = function (this: Redis, ...args: Parameters<typeof emit>) {
      if (ARRIVALS.includes(args[0])) counter.#count += 1
      return emit.apply(this, args)
    }
  }

  get count(): number {
    return this.#count
  }
}
