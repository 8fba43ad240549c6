import type { Address } from '../../base/checks/address.js'
import { retryPauseMs } from '../../base/time/back-off.js'
import { machineTime, pause } from '../../base/time/machine-time.js'
import { type AddressMap, parseAddress, textOf } from './address.js'
import type { NodeRedisConnection } from './connection.js'
import { firstAnswer } from './first-answer.js'

const SLOTS = 16_384

/** For each slot the address of the primary that serves it, in the form in which ioredis keeps them. */
export type SlotTable = Array<readonly string[]>

/** How long a node's answer may take. */
const TIMEOUT_MS = 1_000

/** A node's answer about the slots. */
interface Answer {
  readonly table: SlotTable
  /** The connection on which it came. */
  readonly teller: NodeRedisConnection
}

/** Asks the nodes of a cluster for the table of slots: at growing intervals, as long as that brings nothing new. */
export class SlotSurvey {
  /** The last node that answered: if its answer was wrong, others may know better. */
  #last: string | undefined
  #inVain = 0
  #notBefore = -Infinity

  constructor(
    private readonly startupNodes: readonly Address[],
    private readonly addressMap: AddressMap,
    private readonly connectTo: (address: Address) => NodeRedisConnection,
  ) {}

  /** @param doubted the table that may be wrong */
  async ask(doubted: SlotTable, nodes: readonly NodeRedisConnection[], signal: AbortSignal): Promise<Answer> {
    const restMs = this.#notBefore - machineTime.monotonicMs()
    if (restMs > 0) await pause(restMs, undefined, { ref: false, signal })
    this.#inVain += 1
    try {
      const answer = await firstAnswer(this.#questions(doubted, nodes), signal)
      this.#last = addressOf(answer.teller)
      if (!isSame(doubted, answer.table)) this.#inVain = 0
      return answer
    } finally {
      if (this.#inVain > 0) this.#notBefore = machineTime.monotonicMs() + retryPauseMs(this.#inVain)
    }
  }

  /** Asks the connected nodes first, and the one that answered last after all others. */
  #questions(
    doubted: SlotTable,
    nodes: readonly NodeRedisConnection[],
  ): Array<(signal: AbortSignal) => Promise<Answer>> {
    const connected = nodes.filter(({ status }) => status === 'ready')
    const known = [...nodesIn(doubted)].map((address) => parseAddress(address, ''))
    const others = new Map([...known, ...this.startupNodes].map((each) => [textOf(each), each]))
    const questions = [
      ...connected.map((node) => ({ address: addressOf(node), ask: () => this.#told(node) })),
      ...[...others].map(([address, other]) => ({
        address,
        ask: (signal: AbortSignal) => this.#toldAt(other, signal),
      })),
    ]
    const last = questions.filter(({ address }) => address === this.#last)
    return [...questions.filter((each) => !last.includes(each)), ...last].map(({ ask }) => ask)
  }

  async #toldAt(address: Address, signal: AbortSignal): Promise<Answer> {
    const node = this.connectTo(address)
    const hangUp = (): void => node.disconnect()
    signal.addEventListener('abort', hangUp)
    try {
      return await this.#told(node)
    } catch (error) {
      node.disconnect()
      throw error
    } finally {
      signal.removeEventListener('abort', hangUp)
    }
  }

  async #told(teller: NodeRedisConnection): Promise<Answer> {
    const { host, port } = teller.options
    const asked = { host: String(host), port: Number(port) }
    const late = pause(TIMEOUT_MS, undefined, { ref: false }).then(() =>
      Promise.reject(new Error('No answer to CLUSTER SLOTS.')),
    )
    const reply = await Promise.race([teller.call('CLUSTER', 'SLOTS'), late])
    return { table: slotsIn(reply, asked, this.addressMap), teller }
  }
}

/** Where a connection leads. */
export function addressOf({ options: { host, port } }: NodeRedisConnection): string {
  return textOf({ host: String(host), port: Number(port) })
}

/**
 * Reads the answer to `CLUSTER SLOTS`.
 * @param asked the address of the node that answers: a node that does not know its own address means this one
 */
function slotsIn(reply: unknown, asked: Address, addressMap: AddressMap): SlotTable {
  const table: SlotTable = Array.from({ length: SLOTS }, () => [])
  for (const range of Array.isArray(reply) ? reply : []) {
    const [first, last, primary]: unknown[] = Array.isArray(range) ? range : []
    const [host, port]: unknown[] = Array.isArray(primary) ? primary : []
    const known = typeof host === 'string' && host !== '' && host !== '?'
    const address = addressMap({ host: known ? host : asked.host, port: Number(port) })
    table.fill([textOf(address)], Number(first), Number(last) + 1)
  }
  if (table.every((nodes) => nodes.length === 0)) throw new Error('The cluster has no slots.')
  return table
}

/** The addresses of all nodes in it. */
export function nodesIn(table: SlotTable): Set<string> {
  return new Set(table.flat())
}

/** Whether the same primaries serve the same slots in both. */
function isSame(one: SlotTable, other: SlotTable): boolean {
  return one.length === other.length && one.every(([primary], slot) => primary === other[slot]?.[0])
}
