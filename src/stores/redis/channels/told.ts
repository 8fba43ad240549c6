import type { ToldGrant } from '../../line/client-line.js'
import type { LeftPlaces } from '../../line/left-places.js'
import { isPlace, type Place } from '../../line/place.js'
import { proofOf } from '../../line/proof.js'
import { fenceIn } from '../scripts/replies.js'

/** A message to a process about its places in the line of one lock. */
export interface Told {
  /** The lock's key, as its scripts get it. */
  readonly key: string
  readonly grants: readonly ToldGrant[]
  /** Whether a script of that line sent it. Grants of any other message are only a reason to ask the store. */
  readonly proven: boolean
  /** When the process must look: it is first in line and the lease ends before its own look, or its connection seemed gone. */
  readonly look?: { readonly place: Place; readonly inMs: number }
}

/**
 * Reads what the scripts publish, see lua/parts/line.lua; undefined for anything else. A key may have spaces in it.
 * @param word the client's word for that line
 */
export function toldIn(message: string, word?: string): Told | undefined {
  const words = message.split(' ')
  const [count = '', proof = '', first, second] = words
  const [grants, key] = [Number(count), keyIn(message)]
  if (grants === 0) {
    const [inMs, place = ''] = [Number(proof), first]
    return isPlace(place) && inMs >= 0 ? { key, grants: [], proven: false, look: { place, inMs } } : undefined
  }
  const [serverUs, leaseMs] = [Number(first), Number(second)]
  const end = 4 + 2 * grants
  if (!(grants > 0) || words.length <= end || !(serverUs > 0) || !(leaseMs > 0)) return undefined
  const told: ToldGrant[] = []
  for (let index = 4; index < end; index += 2) {
    const place = words[index] ?? ''
    if (isPlace(place)) told.push({ place, serverUs, leaseMs, fence: fenceIn(words[index + 1] ?? '') })
  }
  const said = message.slice(count.length + proof.length + 2)
  return { key, grants: told, proven: word !== undefined && proof === proofOf('sha1', word, said) }
}

/** Gives back those grants of a message whose calls have left. */
export function giveBackIn(message: string, left: LeftPlaces): void {
  const told = left.empty ? undefined : toldIn(message)
  for (const { place } of told?.grants ?? []) left.granted(place, told?.key ?? '')
}

/** The key of the lock that a message to a process is about, without reading the rest. */
export function keyIn(message: string): string {
  const grants = Number.parseInt(message, 10)
  const words = Number.isNaN(grants) ? 1 : grants === 0 ? 3 : 4 + 2 * grants
  let start = 0
  for (let word = 0; word < words; word += 1) {
    start = message.indexOf(' ', start) + 1
    if (start === 0) return ''
  }
  return message.slice(start)
}
