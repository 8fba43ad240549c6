import type { Summary } from '../measure/summary.js'
import { shownCount } from './number.js'

/** What must be said of a row beside its figures: broken exclusion, waiters who gave up, failures, single rounds. */
export function notesOf(summary: Summary, rounds: number): string {
  const { figures, troubles } = summary
  const notes: string[] = []
  if (figures !== undefined) {
    if (figures.overlaps > 0) notes.push(`**exclusion broken ${shownCount(figures.overlaps)} times**`)
    if (figures.gaveUp > 0) notes.push(`${shownCount(figures.gaveUp)} not served in time`)
    if (figures.errors.length > 0) notes.push(`errors: ${figures.errors.map(oneLine).join('; ')}`)
    if (summary.rounds < rounds) notes.push(summary.rounds === 1 ? '1 round' : `${summary.rounds} rounds`)
  }
  return [...notes, ...troubles.map(oneLine)].join('; ')
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 160)
}
