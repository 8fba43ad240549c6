import type { Wire } from '../../wire/wire.js'
import type { NatMap } from '../order.js'

/** Has a client take the wires where servers name their own addresses. */
export function natMapOf(wires: readonly Wire[]): NatMap {
  return Object.fromEntries(
    wires.map(({ target, host, port }) => [`${target.host}:${target.port}`, { host, port }]),
  )
}
