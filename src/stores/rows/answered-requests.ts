import { aRecordOf, aText, aTime, aWhole, partsOf, type Read } from './parts.js'

/** How long an answer is kept, for the case that the request comes again. */
const KEPT_MS = 60_000

/** What requests came to, as a row keeps it, so that one that comes twice counts once (rule X1). */
export type Answered<Answer> = Record<string, { readonly answer: Answer; readonly forgetAt: number }>

export function answeredWith<Answer>(answer: Read<Answer>): Read<Answered<Answer>> {
  return aRecordOf(aText, partsOf({ answer, forgetAt: aTime }, {}))
}

/** A yes or no, or a number. */
export const anAnswer: Read<boolean | number> = (found, where) =>
  typeof found === 'boolean' ? found : aWhole(found, where)

/** When all answers are forgotten. */
export function forgottenAt(answered: Answered<unknown>): number {
  return Math.max(0, ...Object.values(answered).map(({ forgetAt }) => forgetAt))
}

/** The answer to the request: the one given before, or that of `carryOut`. */
export function once<Answer>(
  answered: Answered<Answer>,
  now: number,
  request: string,
  carryOut: () => Answer,
): Answer {
  for (const [each, { forgetAt }] of Object.entries(answered)) if (forgetAt <= now) delete answered[each]
  const given = answered[request]
  if (given) return given.answer
  const answer = carryOut()
  answered[request] = { answer, forgetAt: now + KEPT_MS }
  return answer
}
