import { clearTimeout, setTimeout } from '../../base/time/machine-time.js'

/** The time without an answer after which this asks the next server as well. */
const NEXT_ASKED_AFTER_MS = 150

/**
 * Asks one server after the other, the next as soon as one fails or is slow, and returns the first answer, from whichever server.
 *
 * @param signal ends all questions
 * @throws the last failure, when all have failed
 */
export async function firstAnswer<Answer>(
  questions: ReadonlyArray<(signal: AbortSignal) => Promise<Answer>>,
  signal: AbortSignal,
): Promise<Answer> {
  signal.throwIfAborted()
  const over = new AbortController()
  const end = (): void => over.abort(signal.reason)
  signal.addEventListener('abort', end)
  try {
    return await new Promise((resolve, reject) => {
      const asked = questions.values()
      let unanswered = questions.length
      let next: ReturnType<typeof setTimeout> | undefined
      const ask = (): void => {
        clearTimeout(next)
        const question = over.signal.aborted ? undefined : asked.next().value
        if (!question) return
        next = setTimeout(ask, NEXT_ASKED_AFTER_MS)
        next.unref()
        question(over.signal).then(resolve, (error: unknown) => {
          unanswered -= 1
          if (unanswered === 0) reject(error)
          else ask()
        })
      }
      over.signal.addEventListener('abort', () => {
        clearTimeout(next)
        reject(over.signal.reason)
      })
      ask()
    })
  } finally {
    signal.removeEventListener('abort', end)
    over.abort()
  }
}
