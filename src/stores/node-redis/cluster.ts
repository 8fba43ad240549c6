import { EventEmitter } from 'eventemitter3'
import type { Address } from '../../base/checks/address.js'
import { isError } from '../../base/errors/is-error.js'
import { pause } from '../../base/time/machine-time.js'
import type { ClusterClient } from '../redis/connection/client.js'
import type { Argument } from '../redis/connection/link.js'
import { slotOf } from '../redis/keys/slot.js'
import { parseAddress, textOf } from './address.js'
import type { ClusterTerms } from './cluster-pattern.js'
import { at, NodeRedisConnection } from './connection.js'
import { followLogin } from './options.js'
import { fieldOf, objectIn, type ServerClient } from './shapes.js'
import { addressOf, nodesIn, SlotSurvey, type SlotTable } from './slot-survey.js'

/** How often a command follows redirections, or tries again, while the cluster says so. */
const MOST_ATTEMPTS = 16
/** The pause before another attempt at a command whose keys move to another node. */
const APART_PAUSE_MS = 10

/** Commands without a key: any node will do. */
const WITHOUT_KEY = new Set([
  'acl',
  'client',
  'cluster',
  'config',
  'dbsize',
  'flushall',
  'info',
  'ping',
  'pubsub',
  'script',
  'time',
  'wait',
])

/**
 * A client of a cluster in the shape in which Holdfast takes clients, with a connection of node-redis to each node. It asks the nodes where
 * keys live, believes a node that redirects at once, and reads the table again whenever something shows that it is wrong. It has ended when
 * no connection is left.
 */
export class NodeRedisCluster extends EventEmitter<string> implements ClusterClient {
  readonly isCluster = true
  readonly options: ClusterClient['options']
  readonly startupNodes: readonly Address[]
  status: 'wait' | 'connecting' | 'ready' | 'end' = 'wait'
  slots: SlotTable = []
  /** One for each primary that the table knows, connected or not. */
  readonly #nodes = new Map<string, NodeRedisConnection>()
  /** Ends all that is under way. */
  #ending = new AbortController()
  readonly #survey: SlotSurvey
  #refreshing: Promise<void> | undefined
  #connecting: Promise<void> | undefined

  constructor(
    /** A client as the nodes want it, never connected. */
    private readonly pattern: ServerClient,
    private readonly terms: ClusterTerms,
    private readonly keyPrefix: string,
    private readonly settings: object = {},
  ) {
    super()
    const { natMap, startupNodes, addressMap } = terms
    this.startupNodes = startupNodes
    this.#survey = new SlotSurvey(startupNodes, addressMap, (address) => this.#connectionTo(address))
    const redisOptions = new NodeRedisConnection(pattern, undefined, '').options
    const { host: _host, port: _port, keyPrefix: _keyPrefix, ...shared } = redisOptions
    followLogin(shared, pattern.options)
    this.options = { ...(natMap !== undefined && { natMap }), redisOptions: shared, keyPrefix }
  }

  duplicate(_startupNodes?: never[], settings: object = {}): NodeRedisCluster {
    const keyPrefix = fieldOf(settings, 'keyPrefix') ?? this.keyPrefix
    const redisOptions = { ...objectIn(settings, 'redisOptions') }
    return new NodeRedisCluster(this.pattern, this.terms, String(keyPrefix), redisOptions)
  }

  async connect(): Promise<void> {
    if (this.status === 'connecting' || this.status === 'ready') throw new Error('The cluster is connected.')
    this.#ending = new AbortController()
    this.status = 'connecting'
    const { signal } = this.#ending
    this.#connecting = this.#refresh()
    try {
      await this.#connecting
    } catch (error) {
      if (!signal.aborted) this.#end(error)
      throw error
    }
    signal.throwIfAborted()
    this.status = 'ready'
    this.emit('ready')
  }

  disconnect(): void {
    if (this.status !== 'end') this.#end()
  }

  nodes(_role?: 'master'): NodeRedisConnection[] {
    return [...this.#nodes.values()]
  }

  call(command: string, ...lists: Array<Argument | readonly Argument[]>): Promise<unknown> {
    const args = lists.flat()
    const send = (node: NodeRedisConnection): Promise<unknown> => node.call(command, ...args)
    const key = keyOf(command.toLowerCase(), args)
    const slot = key === undefined ? undefined : slotOf(key)
    if (this.status === 'ready') return this.#attempt(slot, send, 1)
    return this.#connected().then(() => this.#attempt(slot, send, 1))
  }

  async #connected(): Promise<void> {
    if (this.status === 'end') throw new Error('Connection is closed.')
    if (this.status === 'wait') await this.connect()
    else await this.#connecting
  }

  /** Sends it to the node that serves the slot, or to any. */
  async #attempt(
    slot: number | undefined,
    send: (node: NodeRedisConnection) => Promise<unknown>,
    attempts: number,
  ): Promise<unknown> {
    const known = (): string | undefined => (slot === undefined ? this.#anyAddress() : this.slots[slot]?.[0])
    let address = known()
    if (address === undefined) {
      await this.#refresh()
      address = known()
    }
    if (address === undefined)
      throw Object.assign(new Error(`CLUSTERDOWN Hash slot ${slot} is not served`), { name: 'ReplyError' })
    return await this.#to(address, slot, send, attempts)
  }

  async #to(
    address: string,
    slot: number | undefined,
    send: (node: NodeRedisConnection) => Promise<unknown>,
    attempts: number,
  ): Promise<unknown> {
    try {
      return await send(this.#nodeAt(address))
    } catch (error) {
      const [word, , target] = isError(error) ? error.message.split(' ') : []
      if (word !== 'MOVED' && word !== 'ASK' && word !== 'TRYAGAIN') throw error
      if (attempts === MOST_ATTEMPTS)
        throw new Error(`Too many Cluster redirections. Last error: ${String(error)}`)
      if (word === 'TRYAGAIN') {
        await pause(APART_PAUSE_MS, undefined, { ref: false })
        return await this.#attempt(slot, send, attempts + 1)
      }
      const there = textOf(
        this.terms.addressMap(parseAddress(String(target), parseAddress(address, '').host)),
      )
      if (word === 'ASK') return await this.#to(there, slot, asked(send), attempts + 1)
      if (slot !== undefined) this.slots[slot] = [there]
      this.#refreshSoon()
      return await this.#to(there, slot, send, attempts + 1)
    }
  }

  #anyAddress(): string | undefined {
    const nodes = [...this.#nodes]
    const [address] = nodes.find(([, { status }]) => status === 'ready') ?? nodes[0] ?? []
    return address
  }

  #nodeAt(address: string): NodeRedisConnection {
    return this.#nodes.get(address) ?? this.#keep(address, this.#connectionTo(parseAddress(address, '')))
  }

  /** @param node one that has not ended: nothing would remove it */
  #keep(address: string, node: NodeRedisConnection): NodeRedisConnection {
    let answered = node.status === 'ready'
    this.#nodes.set(address, node)
    node.on('ready', () => {
      answered = true
    })
    node.on('end', () => this.#left(address, node, answered))
    node.on('error', (error) => this.emit('node error', error, address))
    this.emit('+node', node)
    return node
  }

  #connectionTo(address: Address): NodeRedisConnection {
    return new NodeRedisConnection(this.pattern, at(address), '', { ...this.settings, db: 0 })
  }

  /**
   * A node's connection has ended. The next command for it makes another.
   * @param answered whether the node had let it in
   */
  #left(address: string, node: NodeRedisConnection, answered: boolean): void {
    if (this.#nodes.get(address) !== node) return
    this.#nodes.delete(address)
    this.emit('-node', node)
    if (this.status !== 'ready') return
    if (!answered && this.nodes().every(({ status }) => status === 'wait')) this.#end()
    else {
      if (nodesIn(this.slots).has(address)) this.#nodeAt(address)
      this.#refreshSoon()
    }
  }

  #refreshSoon(): void {
    // A failure shows again with the next command.
    this.#refresh().catch(() => undefined)
  }

  /** Reads the table of slots again, once at a time. */
  #refresh(): Promise<void> {
    if (this.#refreshing) return this.#refreshing
    const refreshing = this.#ask().finally(() => {
      if (this.#refreshing === refreshing) this.#refreshing = undefined
    })
    this.#refreshing = refreshing
    return refreshing
  }

  /** Asks for the table, and adopts it, and the connection on which it came. */
  async #ask(): Promise<void> {
    const { table, teller } = await this.#survey.ask(this.slots, this.nodes(), this.#ending.signal)
    const address = addressOf(teller)
    const kept = this.#nodes.get(address)
    const serving = nodesIn(table)
    // It may have ended since it answered: another answer on it may have led elsewhere.
    const wanted = this.status !== 'end' && serving.has(address) && teller.status === 'ready'
    if (wanted && (kept === undefined || kept.status === 'wait')) {
      if (kept) this.#dismiss(address, kept)
      this.#keep(address, teller)
    } else if (kept !== teller) teller.disconnect()
    if (this.status === 'end') return
    this.slots = table
    for (const [each, node] of [...this.#nodes]) if (!serving.has(each)) this.#dismiss(each, node)
    for (const each of serving) this.#nodeAt(each)
    this.emit('refresh')
  }

  #dismiss(address: string, node: NodeRedisConnection): void {
    this.#nodes.delete(address)
    this.emit('-node', node)
    node.disconnect()
  }

  #end(error?: unknown): void {
    this.status = 'end'
    this.#ending.abort()
    this.#refreshing = undefined
    if (error !== undefined) this.emit('error', error)
    for (const [address, node] of [...this.#nodes]) this.#dismiss(address, node)
    this.emit('end')
  }
}

/** The first key of a command, which decides on the node. */
function keyOf(command: string, args: readonly Argument[]): string | undefined {
  if (WITHOUT_KEY.has(command)) return undefined
  const script = command === 'eval' || command === 'evalsha'
  const key = script ? (Number(args[1]) > 0 ? args[2] : undefined) : args[0]
  return key === undefined ? undefined : String(key)
}

/** For a node that a slot is moving to: it takes the command only after this one. */
function asked(send: (node: NodeRedisConnection) => Promise<unknown>) {
  return async (node: NodeRedisConnection): Promise<unknown> => {
    const [, answer] = await Promise.all([node.asking(), send(node)])
    return answer
  }
}
