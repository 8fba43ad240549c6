import { clearTimeout, setTimeout } from '../../base/time/machine-time.js'
import type { Address, AddressMap } from './address.js'
import { textOf } from './address.js'
import { at, NodeRedisConnection, type Whereabouts } from './connection.js'
import { firstAnswer } from './first-answer.js'
import { fieldOf, type ServerClient } from './shapes.js'

/** The application's options of a Sentinel group, read. */
export interface SentinelTerms {
  readonly name: string
  readonly sentinels: readonly Address[]
  readonly addressMap: AddressMap
  /** The map itself, for a thread that has to find the group as well. */
  readonly natMap: unknown
}

/** A Sentinel group: it knows where its primary is. */
export class Sentinels implements Whereabouts {
  readonly options: object
  /** The sentinels of the options, and those that they know; the one that answered last is first, and those that did not answer are last. */
  #sentinels: readonly Address[]

  constructor(
    /** A client as the sentinels want it, never connected. */
    private readonly pattern: ServerClient,
    private readonly terms: SentinelTerms,
  ) {
    const { name, sentinels, natMap } = terms
    this.#sentinels = sentinels
    this.options = { name, sentinels, ...(natMap !== undefined && { natMap }) }
  }

  async find(signal: AbortSignal, settings: object): Promise<Address> {
    const { name } = this.terms
    const questions = this.#sentinels.map((sentinel) => async (over: AbortSignal) => {
      // Until it has answered.
      this.#putLast(sentinel)
      return await this.#ask(sentinel, over, settings)
    })
    try {
      return await firstAnswer(questions, signal)
    } catch (cause) {
      signal.throwIfAborted()
      throw new Error(`No sentinel could say which server is the primary of "${name}".`, { cause })
    }
  }

  async check(send: (...words: string[]) => Promise<unknown>): Promise<void> {
    const role = await send('ROLE').catch(() => undefined)
    // A user who may not ask finds out by the first write.
    if (!Array.isArray(role) || role[0] === 'master') return
    this.#putLast(this.#sentinels[0])
    throw new Error('The sentinels named a server that is not a primary.')
  }

  async #ask(sentinel: Address, signal: AbortSignal, settings: object): Promise<Address> {
    const connection = new NodeRedisConnection(this.pattern, at(sentinel), '', {
      connectTimeout: fieldOf(settings, 'connectTimeout'),
      connectionName: fieldOf(settings, 'connectionName'),
      db: 0,
    })
    const hangUp = (): void => connection.disconnect()
    const timer = setTimeout(hangUp, Number(fieldOf(settings, 'sentinelCommandTimeout') ?? 1_000))
    timer.unref()
    signal.addEventListener('abort', hangUp)
    try {
      const { name } = this.terms
      const [told, others] = await Promise.all([
        connection.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name),
        connection.call('SENTINEL', 'SENTINELS', name),
      ])
      const [host, port] = Array.isArray(told) ? told.map(String) : []
      if (host === undefined) throw new Error(`The sentinel ${textOf(sentinel)} does not know "${name}".`)
      this.#meet(sentinel, others)
      return this.terms.addressMap({ host, port: Number(port) })
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', hangUp)
      connection.disconnect()
    }
  }

  #meet(answered: Address, others: unknown): void {
    const told = (Array.isArray(others) ? others : []).map((fields: unknown) => {
      const field = (name: string): string => {
        const flat: unknown[] = Array.isArray(fields) ? fields : []
        return String(flat[flat.indexOf(name) + 1])
      }
      return this.terms.addressMap({ host: field('ip'), port: Number(field('port')) })
    })
    const all = [answered, ...this.#sentinels, ...told]
    this.#sentinels = [...new Map(all.map((each) => [textOf(each), each])).values()]
  }

  #putLast(sentinel: Address | undefined): void {
    if (sentinel) this.#sentinels = [...this.#sentinels.filter((each) => each !== sentinel), sentinel]
  }
}
