import type { Address } from '../../base/checks/address.js'
import { type AddressMap, textOf } from './address.js'

const SLOTS = 16_384

/** For each slot the address of the primary that serves it, in the form in which ioredis keeps them. */
export type SlotTable = Array<readonly string[]>

/**
 * Reads the answer to `CLUSTER SLOTS`.
 * @param asked the address of the node that answers: a node that does not know its own address means this one
 */
export function slotsIn(reply: unknown, asked: Address, addressMap: AddressMap): SlotTable {
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
export function isSame(one: SlotTable, other: SlotTable): boolean {
  return one.length === other.length && one.every(([primary], slot) => primary === other[slot]?.[0])
}
