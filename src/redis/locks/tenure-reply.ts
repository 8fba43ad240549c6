import type { TenureState } from '../../ports/fenced-port.js'

/** Reads {1 if it is held else 0, token in decimal or ''}. */
export function tenureReply(reply: unknown): TenureState {
  const [held, fence]: unknown[] = Array.isArray(reply) ? reply : []
  return { held: held === 1, lastFence: fenceIn(fence) }
}

/** Numbers above 2^53 come as texts. Other programs may have written something else under the counter's name. */
export function fenceIn(text: unknown): bigint | undefined {
  return typeof text === 'string' && /^-?\d+$/.test(text) ? BigInt(text) : undefined
}
