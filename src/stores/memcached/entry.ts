import type { Owner } from '../../base/identity/owner.js'
import type { TimerHandle } from '../../base/time/schedule.js'
import type { Connection } from './client/connection.js'

/** The version of an item, which means something by the connection alone that told it. */
export interface Version {
  readonly cas: string
  readonly connection: Connection
}

/** An item of this client's: a lock that it holds, as far as it knows. */
export class Entry {
  /** How many holds it is for. The server knows of one. */
  holds = 0
  version: Version | undefined
  /** When its lease ends, on the lease clock. The client sees to that; the server ends the item some seconds later. */
  endsAt = Infinity
  alarm: TimerHandle | undefined

  constructor(
    readonly name: string,
    readonly key: string,
    public owner: Owner,
  ) {}
}
