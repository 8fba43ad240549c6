import type { Crew } from './crew.js'
import type { Finding } from './finding.js'
import { Ledger } from './ledger.js'

/** What came of a shift without the lock. */
export interface Unguarded {
  readonly sections: number
  readonly depth: number
  readonly updates: number
  readonly lost: number
}

/** The same work with nobody kept out. */
export async function shiftWithoutLock(crew: Crew, ms: number): Promise<Unguarded> {
  const ledger = await Ledger.open()
  try {
    crew.work(ledger.dir, false)
    await crew.continue(ms)
    await crew.rest()
    const { sections, depth, updates } = crew.tally
    return { sections, depth, updates, lost: updates - (await ledger.count()) }
  } finally {
    await ledger.remove()
  }
}

/** Beside a shift with the lock: nothing is required of it. */
export function comparison({ lost, updates }: Unguarded): Finding[] {
  return [{ what: 'for comparison: lost without the lock', figure: `${lost} of ${updates}` }]
}

/** By itself: updates that are lost are lost. */
export function unguardedFindings({ sections, depth, updates, lost }: Unguarded): Finding[] {
  return [
    { what: 'sections done, none of them critical', figure: String(sections), sound: sections > 0 },
    { what: 'nested depth reached', figure: `${depth} sections` },
    { what: 'lost updates', figure: `${lost} of ${updates}`, sound: lost === 0 },
  ]
}
