import type { Results } from '../measure/results.js'
import type { FleetFigures } from '../simulated/order.js'
import { drawnLines } from './lines.js'
import type { Picture } from './picture.js'

const ACROSS = 'processes, ten callers in each'

/** How costs and waits grow with the number of processes. */
export function simulatedCharts({ simulated = [] }: Results): Picture[] {
  const fleets = simulated.filter(
    (answer): answer is FleetFigures =>
      'sections' in answer && answer.callers === 10 && answer.lingerMs !== 0,
  )
  if (fleets.length < 2) return []
  const line = (title: string, pick: (figures: FleetFigures) => number, dashed = false) => ({
    title,
    ours: true,
    dashed,
    points: fleets.map((figures) => [figures.processes, pick(figures)] as const),
  })
  const costs = 'A simulated fleet: commands and messages per section'
  const waits = 'A simulated fleet: the longest wait, seconds'
  return [
    {
      name: 'simulated-costs',
      caption: costs,
      svg: drawnLines({
        title: costs,
        across: ACROSS,
        up: 'per section',
        lines: [
          line('commands', ({ commandsPerSection }) => commandsPerSection),
          line('messages', ({ messagesPerSection }) => messagesPerSection, true),
        ],
      }),
    },
    {
      name: 'simulated-waits',
      caption: waits,
      svg: drawnLines({
        title: waits,
        across: ACROSS,
        up: 'seconds',
        lines: [line('longest wait', ({ longestWaitMs }) => longestWaitMs / 1_000)],
      }),
    },
  ]
}
