import slotOf from 'cluster-key-slot'
import type { Kind } from './kinds.js'
import type { Random } from './random.js'

/** A name of some kind. Programs take names in the order of their ranks: so they cannot wait for each other in a circle. */
export interface Resource {
  readonly kind: Exclude<Kind, 'multi'>
  readonly name: string
  /** Its place in the order. A multi-lock takes its members by slot, then by name: ranks follow both. */
  readonly rank: number
}

export const PERMITS = 3
export const STRIPES = 3

/** The kinds that nobody owns, so that nobody can be thrown out of them. */
export const UNOWNED: readonly Kind[] = ['semaphore', 'permits', 'compute-once', 'latch']

/** What stands under a name: of a striped lock, each of its stripes. */
export function locksOf({ kind, name }: Resource): string[] {
  return kind === 'striped' ? Array.from({ length: STRIPES }, (_, index) => `${name}:${index}`) : [name]
}

const SLOTS = 16_384
/** The kinds that have two names; the others have one. */
const TWICE: readonly Kind[] = ['lock', 'fair', 'latch']

/** The names of an episode, by rank. Only `compute-once` has its place: it is last, because what it computes takes nothing. */
export function resourcesOf(kinds: readonly Kind[], random: Random): Resource[] {
  const single = kinds.filter((kind) => kind !== 'multi')
  // What a multi-lock is made of.
  const base = kinds.includes('multi') && !single.includes('lock') ? [...single, 'lock' as const] : single
  const places = base.flatMap((kind) => {
    if (kind === 'lock' && kinds.includes('multi')) return [kind, kind, kind]
    return TWICE.includes(kind) ? [kind, kind] : [kind]
  })
  const ordered = [
    ...random.shuffled(places.filter((kind) => kind !== 'compute-once')),
    ...places.filter((kind) => kind === 'compute-once'),
  ]
  return ordered.map((kind, rank) => ({ kind, rank, name: nameAt(kind, rank, ordered.length) }))
}

/** A name whose slot is in the part of the slots that belongs to its rank, and whose text comes after those of lower ranks. */
function nameAt(kind: string, rank: number, ranks: number): string {
  const letter = String.fromCharCode('a'.charCodeAt(0) + rank)
  for (let number = 1; ; number += 1) {
    const name = `${letter}-${kind}-${number}`
    if (Math.floor((slotOf(name) * ranks) / SLOTS) === rank) return name
  }
}
