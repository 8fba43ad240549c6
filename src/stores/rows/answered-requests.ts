import { aRecordOf, aText, aTime, aWhole, partsOf, type Read } from './parts.js'

/** How long the row keeps an answer, in case the request comes again. */
const KEPT_MS = 60_000

/** The answers to requests, as a row keeps them, so that a request that comes twice counts once (rule X1). */
export type Answered<Answer> = Record<string, { readonly answer: Answer; readonly forgetAt: number }>

export function answeredWith<Answer>(answer: Read<Answer>): Read<Answered<Answer>> {
  return aRecordOf(aText, partsOf({ answer, forgetAt: aTime }, {}))
}

/** A yes or no, or a number. */
export const anAnswer: Read<boolean | number> = (found, where) =>
  typeof found === 'boolean' ? found : aWhole(found, where)

/** When the row may forget all answers. */
export function forgottenAt(answered: Answered<unknown>): number {
  return Math.max(0, ...Object.values(answered).map(({ forgetAt }) => forgetAt))
}

/** The answer to the request: an earlier one, or that of `carryOut`. */
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
