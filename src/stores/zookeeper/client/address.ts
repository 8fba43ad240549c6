import { type Address, readAddress } from '../../../base/checks/address.js'
import { InvalidArgumentError } from '../../../base/errors/errors.js'
import { retryPauseMs } from '../../../base/time/back-off.js'

const DEFAULT_PORT = 2181

/** @param servers a list, or what ZooKeeper calls a connect string: with commas, and without the path at its end */
export function parseServers(servers: unknown): readonly Address[] {
  const list: unknown = typeof servers === 'string' ? servers.split(',') : servers
  if (!Array.isArray(list) || list.length === 0) throw invalid(servers)
  return list.map((text: unknown) => {
    const address = readAddress(typeof text === 'string' ? text.trim() : text, DEFAULT_PORT)
    if (!address) throw invalid(text)
    return address
  })
}

function invalid(servers: unknown): InvalidArgumentError {
  const accepted = "addresses such as 'zoo1:2181', in a list or with commas between them"
  return new InvalidArgumentError('servers', servers, accepted)
}

/** A connection that ends sooner than so has been of no use, whatever it ended by. */
const STEADY_MS = 1_000

/**
 * The servers of an ensemble in an order of this client's own, so that clients spread over them; one after another, and round again. Where
 * one round of connections has ended early there is a pause before the next, which grows from round to round.
 */
export class Rota {
  readonly #addresses: Address[] = []
  #turns = -1
  /** How many connections in turn ended early. */
  #early = 0

  constructor(addresses: readonly Address[]) {
    for (const address of addresses) {
      this.#addresses.splice(Math.floor(Math.random() * (this.#addresses.length + 1)), 0, address)
    }
  }

  get size(): number {
    return this.#addresses.length
  }

  /** The pause before the next connection. */
  get pauseMs(): number {
    const rounds = Math.floor(this.#early / this.size)
    return rounds === 0 ? 0 : retryPauseMs(rounds)
  }

  next(): Address {
    this.#turns = (this.#turns + 1) % this.#addresses.length
    const address = this.#addresses[this.#turns]
    if (!address) throw new Error('there is at least one server')
    return address
  }

  /** Notes that a connection ended so long after its begin, and not because the client let go of it. */
  broke(afterMs: number): void {
    this.#early = afterMs < STEADY_MS ? this.#early + 1 : 0
  }
}
