import { createHash } from 'node:crypto'
import type { StoreSettings } from '../../../port/store.js'
import type { Address } from './address.js'
import { type Access, Server } from './server.js'

/**
 * The servers that share the locks: each lock is on one of them. Which one follows from its name and the list of servers alone
 * (rendezvous hashing: the server whose hash with the name is the greatest), so that a server more or less moves the fewest locks.
 */
export class Servers {
  readonly #all: readonly Server[]

  constructor(
    addresses: readonly Address[],
    access: Access,
    settings: Pick<StoreSettings, 'schedule' | 'commandTimeoutMs'>,
  ) {
    this.#all = addresses.map((address) => new Server(address, access, settings))
  }

  /** That of a key. */
  of(key: string): Server {
    const [only, ...others] = this.#all
    if (!only) throw new TypeError('there is at least one server')
    return others.length === 0
      ? only
      : this.#all.reduce((one, other) => (this.#beats(key, other, one) ? other : one))
  }

  close(): void {
    for (const server of this.#all) server.close()
  }

  #beats(key: string, one: Server, other: Server): boolean {
    return Buffer.compare(weightOf(key, one), weightOf(key, other)) > 0
  }
}

function weightOf(key: string, { address }: Server): Buffer {
  return createHash('sha256').update(`${address.text}\n${key}`).digest()
}
