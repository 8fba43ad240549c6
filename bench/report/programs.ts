import type { BlockedAnswer } from '../drivers/programs.js'
import type { Answer, Results } from '../measure/results.js'
import { shownCount, shownNumber } from './number.js'
import { markdown } from './tables.js'

export function heldSection({ heldLocks }: Results): string[] {
  if (heldLocks === undefined) return []
  if ('failed' in heldLocks) return ['## Many held locks', `Failed: ${heldLocks.failed}`]
  const { locks, watchdogMs, acquiredPerSecond, bytesPerLock, shareOfCore, lost, worstDelayMs, timers } =
    heldLocks
  return [
    `## ${shownCount(locks)} held locks`,
    `One process holds them all under the watchdog (\`watchdogMs: ${watchdogMs}\`: each is renewed three times in that time), for a tenth more than that.`,
    markdown({
      head: [
        'memory per lock, bytes',
        'share of one core',
        'worst delay of the event loop, ms',
        'timers',
        'lost',
        'acquired per second',
      ],
      rows: [
        [
          shownCount(bytesPerLock),
          `${shownNumber(shareOfCore * 100)} %`,
          shownNumber(worstDelayMs),
          timers === undefined ? '–' : shownCount(timers),
          shownCount(lost),
          shownCount(acquiredPerSecond),
        ],
      ],
    }),
  ]
}

export function blockedSection({ blocked }: Results): string[] {
  if (blocked.length === 0) return []
  return [
    '## A main thread that is blocked',
    'A process holds a lock under a watchdog of 1 s and then computes for 3 s without a pause.',
    markdown({
      head: [
        'watchdog',
        'held at the first check',
        '`signal` aborted then',
        '`signal` aborted soon after',
        'key still there',
      ],
      rows: blocked.map(blockedRow),
    }),
  ]
}

function blockedRow(answer: Answer<BlockedAnswer>, index: number): string[] {
  const which =
    index === 0 ? 'on the main thread (default)' : 'in a thread of its own (`watchdogThread: true`)'
  if ('failed' in answer)
    return [which, `failed: ${answer.failed.replace(/\s+/g, ' ').slice(0, 160)}`, '', '', '']
  if ('unsupported' in answer) return [which, answer.unsupported, '', '', '']
  const yes = (fact: boolean): string => (fact ? 'yes' : 'no')
  return [
    which,
    yes(answer.heldAtFirstCheck),
    yes(answer.abortedAtFirstCheck),
    yes(answer.abortedSoonAfter),
    yes(answer.keyThere),
  ]
}
