import { createHash } from 'node:crypto'
import type { StoreSettings } from '../../../port/store.js'
import type { ServerAddress } from './address.js'
import { type Access, Server } from './server.js'

/**
 * The servers that share the locks: each lock is on one of them. Which one follows from its name and the list of servers alone
 * (rendezvous hashing: the server whose hash with the name is the greatest), so that a server more or less moves the fewest locks.
 */
export class Servers {
  readonly #all: readonly Server[]

  constructor(
    addresses: readonly ServerAddress[],
    access: Access,
    settings: Pick<StoreSettings, 'schedule' | 'commandTimeoutMs'>,
  ) {
    this.#all = addresses.map((address) => new Server(address, access, settings))
  }

  /** That of a key. */
  of(key: string): Server {
    const [only, ...others] = this.#all
    if (!only) throw new TypeError('there is at least one server')
    if (others.length === 0) return only
    const beats = (one: Server, other: Server): boolean =>
      weightOf(key, one).compare(weightOf(key, other)) > 0
    return others.reduce((one, other) => (beats(other, one) ? other : one), only)
  }

  close(): void {
    for (const server of this.#all) server.close()
  }
}

function weightOf(key: string, { address }: Server): Buffer {
  return createHash('sha256').update(`${address.text}\n${key}`).digest()
}
