import type { Answer, Results } from '../measure/results.js'
import type { FleetFigures } from '../simulated/order.js'
import { shownCount, shownNumber } from './number.js'
import { markdown } from './tables.js'

const explained = `The real core in virtual time, in one process, with the store in memory behind a simulated network (\`bench/simulated\`): a third of the
processes is 0.2, 5 and 100 ms away from the store, one way; one of twenty is slow (sections of 5 ms instead of 1, answers read up to 50 ms late); in
one of ten a caller leaves the line again and again; some are killed while they have the lock. The same seed gives the same figures on every machine.
*Turns* are sections in a row of one process, *starved* are callers that waited to the end and got nothing.`

/** What fleets cost that no machine here could run. */
export function simulatedSection({ simulated = [] }: Results, pictures: readonly string[]): string[] {
  if (simulated.length === 0) return []
  const head = [
    'processes',
    'callers each',
    '`lingerMs`',
    'pause, ms',
    'sections/s',
    'commands per section',
    'messages per section',
    'sections per turn',
    "Jain's index, sections",
    'turns',
    'longest wait, s',
    'starved',
    'section after a kill, s',
    'overlaps',
  ]
  return ['## Large fleets, simulated', explained, ...pictures, markdown({ head, rows: simulated.map(row) })]
}

function row(answer: Answer<FleetFigures>): string[] {
  if ('failed' in answer) return [`failed: ${answer.failed.replace(/\s+/g, ' ').slice(0, 160)}`]
  return [
    shownCount(answer.processes),
    shownCount(answer.callers),
    `${answer.lingerMs}`,
    answer.thinksMs === 0 ? '0' : `0–${answer.thinksMs}`,
    shownNumber((answer.sections * 1_000) / answer.durationMs),
    shownNumber(answer.commandsPerSection),
    shownNumber(answer.messagesPerSection),
    shownNumber(answer.sectionsPerTurn),
    answer.jain.toFixed(2),
    answer.jainOfTurns.toFixed(2),
    shownNumber(answer.longestWaitMs / 1_000),
    shownCount(answer.starved),
    answer.recoveryMs === undefined ? '–' : shownNumber(answer.recoveryMs / 1_000),
    shownCount(answer.overlaps),
  ]
}
