import pg from 'pg'

/** Counts the notifications that PostgreSQL delivers to this process, over whichever of its connections: each wakes it. */
export class Notifications {
  #count = 0

  constructor() {
    const emit = pg.Client.prototype.emit
    const counter = this
    pg.Client.prototype.emit = function (this: pg.Client, ...args: Parameters<typeof emit>) {
      if (args[0] === 'notification') counter.#count += 1
      return emit.apply(this, args)
    }
  }

  get count(): number {
    return this.#count
  }
}
