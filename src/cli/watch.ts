import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '../errors/errors.js'
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
  let away = false
  for (let shown = 0; ; ) {
    try {
      const now = await unlessAborted(signal, server.catalogue.look(name))
      if (now === undefined) break
      if (away) output.note('back', 'the server answers again')
      away = false
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
    } catch (error) {
      if (before === undefined || !(error instanceof StoreError && error.transient)) throw error
      if (!away) output.note('away', `the server does not answer; retrying: ${error.message}`)
      if (!away) screen?.keep()
      away = true
    }
    if (shown >= count) break
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) break
  }
  return exitCodes.ok
}

/** The result of the look, or undefined once the signal aborts: Ctrl-C must not wait for a hanging server. */
function unlessAborted<Result>(signal: AbortSignal, looking: Promise<Result>): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve(undefined)
    if (signal.aborted) leave()
    // Not a race with one promise for all looks: that would keep the results of all of them in memory.
    signal.addEventListener('abort', leave, { once: true })
    looking.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
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
