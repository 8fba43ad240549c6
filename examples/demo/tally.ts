/** What one worker has done so far. */
export interface Tally {
  /** Critical sections gone through. */
  sections: number
  /** Entries it has made in the ledger, each of them written. */
  updates: number
  /** How many sections deep it was at most. */
  depth: number
  /** How many holds of one lock it had at once at most. */
  holds: number
}

export function emptyTally(): Tally {
  return { sections: 0, updates: 0, depth: 0, holds: 0 }
}

/** What several workers have done together. */
export function sumOf(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (sum, each) => ({
      sections: sum.sections + each.sections,
      updates: sum.updates + each.updates,
      depth: Math.max(sum.depth, each.depth),
      holds: Math.max(sum.holds, each.holds),
    }),
    emptyTally(),
  )
}
