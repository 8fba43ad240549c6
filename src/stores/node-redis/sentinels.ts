import type { Address } from '../../base/checks/address.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { clearTimeout, setTimeout } from '../../base/time/machine-time.js'
import { type AddressMap, addressIn, addressMap, textOf } from './address.js'
import { at, NodeRedisConnection, type Whereabouts } from './connection.js'
import { firstAnswer } from './first-answer.js'
import { PLAIN } from './options.js'
import { fieldOf, isServerClient, type ServerClient } from './shapes.js'

/** The options of `createSentinel` that Holdfast reads. */
export interface SentinelOptions {
  /** The name of the group. */
  readonly name: string
  /** Where the sentinels are. */
  readonly sentinelRootNodes: ReadonlyArray<{ readonly host?: string; readonly port?: number }>
  /** How to reach the sentinels: user, password, TLS. Holdfast takes nothing of this from the nodes' options. */
  readonly sentinelClientOptions?: object | undefined
  /** Maps the address that the sentinels give for a server to the one that this process can reach. */
  readonly nodeAddressMap?: object | undefined
}

/** A Sentinel group: it knows where its primary is. */
export class Sentinels implements Whereabouts {
  readonly options: object
  /** The sentinels of the options, and those that they know; the one that answered last is first, and those that did not answer are last. */
  #sentinels: readonly Address[]
  readonly #name: string
  readonly #addressMap: AddressMap
  /** A client as the sentinels want it, never connected. */
  readonly #pattern: ServerClient

  /** @throws `InvalidArgumentError` if the options name no group or no sentinels. */
  constructor(options: SentinelOptions, node: ServerClient) {
    const { name, sentinelRootNodes, sentinelClientOptions = {}, nodeAddressMap } = options
    if (typeof name !== 'string' || name === '')
      throw new InvalidArgumentError('sentinel.name', name, 'the name of a Sentinel group')
    const sentinels = (Array.isArray(sentinelRootNodes) ? sentinelRootNodes : [])
      .map(addressIn)
      .filter((address): address is Address => address !== undefined)
    if (sentinels.length === 0)
      throw new InvalidArgumentError(
        'sentinel.sentinelRootNodes',
        sentinelRootNodes,
        'the addresses of sentinels: [{ host, port }, …]',
      )
    const pattern = node.duplicate({
      ...PLAIN,
      username: undefined,
      password: undefined,
      credentialsProvider: undefined,
      database: 0,
      socket: {},
      ...sentinelClientOptions,
      // So that their answers are lists, not maps.
      RESP: 2,
    })
    if (!isServerClient(pattern)) throw new InvalidArgumentError('client', node, 'a client of node-redis')
    this.#name = name
    this.#sentinels = sentinels
    this.#addressMap = addressMap(nodeAddressMap)
    this.#pattern = pattern
    // With the map itself, for a thread that has to find the group as well.
    this.options = { name, sentinels, ...(nodeAddressMap !== undefined && { natMap: nodeAddressMap }) }
  }

  async find(signal: AbortSignal, settings: object): Promise<Address> {
    const questions = this.#sentinels.map((sentinel) => async (over: AbortSignal) => {
      // Until it has answered.
      this.#putLast(sentinel)
      return await this.#ask(sentinel, over, settings)
    })
    try {
      return await firstAnswer(questions, signal)
    } catch (cause) {
      signal.throwIfAborted()
      throw new Error(`No sentinel could say which server is the primary of "${this.#name}".`, { cause })
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
    const connection = new NodeRedisConnection(this.#pattern, at(sentinel), '', {
      connectTimeout: fieldOf(settings, 'connectTimeout'),
      connectionName: fieldOf(settings, 'connectionName'),
      db: 0,
    })
    const hangUp = (): void => connection.disconnect()
    const timer = setTimeout(hangUp, Number(fieldOf(settings, 'sentinelCommandTimeout') ?? 1_000))
    timer.unref()
    signal.addEventListener('abort', hangUp)
    try {
      const name = this.#name
      const [told, others] = await Promise.all([
        connection.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name),
        connection.call('SENTINEL', 'SENTINELS', name),
      ])
      const [host, port] = Array.isArray(told) ? told.map(String) : []
      if (host === undefined) throw new Error(`The sentinel ${textOf(sentinel)} does not know "${name}".`)
      this.#meet(sentinel, others)
      return this.#addressMap({ host, port: Number(port) })
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
      return this.#addressMap({ host: field('ip'), port: Number(field('port')) })
    })
    const all = [answered, ...this.#sentinels, ...told]
    this.#sentinels = [...new Map(all.map((each) => [textOf(each), each])).values()]
  }

  #putLast(sentinel: Address | undefined): void {
    if (sentinel) this.#sentinels = [...this.#sentinels.filter((each) => each !== sentinel), sentinel]
  }
}
