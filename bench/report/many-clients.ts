import type { Answer, ManyClients, Results } from '../measure/results.js'
import { shownCount, shownNumber } from './number.js'
import { markdown } from './tables.js'

const explained = `Each client has its own connections, and one caller in a loop of empty sections, as a process would; four processes of Node
share them, and two cores all of it, so the pace is that of this machine. Memory is what the servers use, of all nodes together. Where the line takes longer than the 20 s of the run to come
round, a process looks meanwhile, and whose turn did not come counts as starved.`

/** What servers must carry. */
export function manyClientsSection({ manyClients = [] }: Results): string[] {
  if (manyClients.length === 0) return []
  const head = [
    'clients',
    'on',
    '`lingerMs`',
    'connections each',
    'memory each, connected, bytes',
    '… more in line, bytes',
    'commands per section',
    'messages per section',
    'server CPU per section, µs',
    'sections/s',
    "Jain's index",
    'starved',
    'worst wait, ms',
  ]
  return ['## Thousands of clients of one lock', explained, markdown({ head, rows: manyClients.map(row) })]
}

function row(answer: Answer<ManyClients>): string[] {
  if ('failed' in answer) return [`failed: ${answer.failed.replace(/\s+/g, ' ').slice(0, 160)}`]
  return [
    shownCount(answer.clients),
    answer.cluster ? 'a Cluster of three' : 'one server',
    `${answer.lingerMs}`,
    shownNumber(answer.connectionsEach),
    shownCount(answer.idleBytesEach),
    shownCount(answer.waitingBytesEach),
    shownNumber(answer.commandsPerSection),
    shownNumber(answer.messagesPerSection),
    shownNumber(answer.serverUsPerSection),
    shownNumber(answer.sectionsPerSecond),
    answer.jain.toFixed(2),
    shownCount(answer.starved),
    shownNumber(answer.worstWaitMs),
  ]
}
