import type { TenureState } from '../../../port/fenced-port.js'
import { listIn, textIn, yesIn } from './replies.js'

/** Reads {1 if it is held else 0, token in decimal or ''}. */
export function tenureReply(reply: unknown): TenureState {
  const [held, fence] = listIn(reply, 2, 2)
  return { held: yesIn(held), lastFence: fenceIn(textIn(fence)) }
}

/** Numbers above 2^53 come as texts. Other programs may have written something else under the counter's name. */
export function fenceIn(text: string): bigint | undefined {
  return /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined
}
