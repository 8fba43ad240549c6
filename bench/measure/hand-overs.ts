import type { Records } from './records.js'

/** What lies between the sections of one lock. */
export interface HandOvers {
  /** From the end of a section to the beginning of the next, in ms, in order of entering. */
  readonly gapsMs: readonly number[]
  /** Those of them where the next section was in another process. */
  readonly betweenProcessesMs: readonly number[]
  /** How often a section began while another was going on: exclusion was broken. */
  readonly overlaps: number
}

/**
 * How far the clocks of two processes may be apart (drivers of other runtimes anchor theirs themselves), in ms. Within one
 * process there is one clock.
 */
const CLOCK_ERROR_MS = 0.05

/** @param until sections that were entered later do not count. */
export function handOversOf(records: Records, until = Number.POSITIVE_INFINITY): HandOvers {
  const gapsMs: number[] = []
  const betweenProcessesMs: number[] = []
  let overlaps = 0
  let lastLeftAt = records.leftAt[0] ?? 0
  let lastProcess = records.process[0]
  for (let index = 1; index < records.count; index += 1) {
    const enteredAt = records.enteredAt[index] ?? 0
    if (enteredAt > until) break
    const process = records.process[index]
    const crossed = process !== lastProcess
    const gapMs = enteredAt - lastLeftAt
    if (gapMs < (crossed ? -CLOCK_ERROR_MS : 0)) overlaps += 1
    else {
      gapsMs.push(Math.max(0, gapMs))
      if (crossed) betweenProcessesMs.push(Math.max(0, gapMs))
    }
    lastLeftAt = Math.max(lastLeftAt, records.leftAt[index] ?? 0)
    lastProcess = process
  }
  return { gapsMs, betweenProcessesMs, overlaps }
}
