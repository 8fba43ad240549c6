import type { Clock } from '../time/clock.js'

/** How long an answer is kept, for the case that the request comes again. */
const KEPT_MS = 60_000

/** What requests came to, so that one that comes twice counts once (rule X1). */
export class AnsweredRequests {
  readonly #answers = new Map<string, { readonly answer: unknown; readonly forgetAt: number }>()

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** The answer to the request: the one given before, or that of `carryOut`. */
  once<Answer>(
    request: string,
    isAnswer: (value: unknown) => value is Answer,
    carryOut: () => Answer,
  ): Answer {
    this.#forget()
    const given = this.#answers.get(request)?.answer
    if (isAnswer(given)) return given
    const answer = carryOut()
    this.#answers.set(request, { answer, forgetAt: this.clock.now() + KEPT_MS })
    return answer
  }

  /** The oldest stand first. */
  #forget(): void {
    const now = this.clock.now()
    for (const [request, { forgetAt }] of this.#answers) {
      if (forgetAt > now) return
      this.#answers.delete(request)
    }
  }
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}
