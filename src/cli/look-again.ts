import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '../base/errors/errors.js'
import { firstAnswer } from './first-answer.js'
import type { Output } from './output.js'

/** How often something is looked at, until when. */
export interface Looking<View> {
  readonly intervalMs: number
  readonly signal: AbortSignal
  look(): Promise<View>
  /** Returns whether that is enough. */
  show(view: View): boolean
  /** The server does not answer any more. */
  away?(): void
}

/** Looks repeatedly. The server must answer the first time; if it goes away later, this reports that and continues. */
export async function lookAgain<View>(looking: Looking<View>, output: Output): Promise<void> {
  const { intervalMs, signal } = looking
  let answered = false
  let away = false
  for (;;) {
    try {
      const look = looking.look()
      const first = !answered && !signal.aborted
      const view = await unlessAborted(signal, first ? firstAnswer(look, output) : look)
      if (view === undefined) return
      if (away) output.note('back', 'the server answers again')
      away = false
      answered = true
      if (looking.show(view)) return
    } catch (error) {
      if (!answered || !(error instanceof StoreError && error.transient)) throw error
      if (!away) output.note('away', `the server does not answer; retrying: ${error.message}`)
      if (!away) looking.away?.()
      away = true
    }
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
  }
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
