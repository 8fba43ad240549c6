import { cards } from './card.js'
import { exitCodes } from './exit-codes.js'
import {
  holderText,
  isLocked,
  type LockView,
  leaseText,
  stateText,
  viewJson,
  waitingText,
} from './lock-view.js'
import { lookAgain } from './look-again.js'
import type { Output } from './output.js'
import { Screen } from './screen.js'
import type { Server } from './server.js'

export interface WatchOptions {
  readonly intervalMs: number
  /** The number of views or changes after which to end; undefined: never. */
  readonly count: number | undefined
}

/**
 * Inspects a name repeatedly: redraws a picture on a terminal, otherwise writes one line for each change. The server must answer the
 * first time; if it goes away later, this reports that and continues.
 */
export async function watch(
  server: Server,
  name: string,
  { intervalMs, count = Infinity }: WatchOptions,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  const screen = output.live && !output.json ? new Screen(output.results) : undefined
  let before: readonly string[] | undefined
  let shown = 0
  const show = (now: readonly LockView[]): boolean => {
    const looks = now.map(essence)
    if (screen) screen.draw(cards(now, output.colours))
    const changed = now.filter((_, index) => !before?.includes(looks[index] ?? ''))
    if (screen) shown += 1
    else
      for (const lock of changed.slice(0, count - shown)) {
        output.result(() => line(lock), { at: new Date().toISOString(), ...viewJson(lock) })
        shown += 1
      }
    before = looks
    return shown >= count
  }
  const look = (): Promise<readonly LockView[]> => server.catalogue.look(name)
  await lookAgain({ intervalMs, signal, look, show, away: () => screen?.keep() }, output)
  return exitCodes.ok
}

/** The parts that count as a change; the time left does not. */
function essence({ remainingMs, ...lock }: LockView): string {
  return JSON.stringify({ ...lock, locked: isLocked({ ...lock, remainingMs }) })
}

function line(lock: LockView): string {
  const { owners, available, fence, remainingMs, count } = lock
  const parts = [
    new Date().toISOString(),
    owners.length > 0 || (remainingMs > 0 && count === undefined)
      ? `held by ${holderText(lock)}`
      : stateText(lock),
    ...(owners.length > 0 ? [leaseText(lock)] : []),
    ...(available === undefined ? [] : [`${available} available`]),
    ...(fence === undefined ? [] : [`fence ${fence}`]),
    `waiting: ${waitingText(lock)}`,
  ]
  return parts.join('  ')
}
