import { majorityOf } from './majority.js'

/** The answer so far of one of several servers to the same question. */
export type Answer<Reply> =
  | { readonly state: 'pending' }
  | { readonly state: 'answered'; readonly reply: Reply }
  | { readonly state: 'failed'; readonly error: unknown }

/**
 * Waits for answers until `conclude` returns a result; calls it again with each new answer. Undefined if all answers have come
 * without a result.
 */
export function concluded<Reply, Result>(
  asked: readonly Promise<Reply>[],
  conclude: (answers: readonly Answer<Reply>[]) => Result | undefined,
): Promise<Result | undefined> {
  const answers: Answer<Reply>[] = asked.map(() => ({ state: 'pending' }))
  let left = asked.length
  return new Promise((resolve, reject) => {
    const settle = (index: number, answer: Answer<Reply>): void => {
      answers[index] = answer
      left -= 1
      try {
        const result = conclude(answers)
        if (result !== undefined || left === 0) resolve(result)
      } catch (error) {
        reject(error)
      }
    }
    asked.forEach((each, index) => {
      each.then(
        (reply) => settle(index, { state: 'answered', reply }),
        (error: unknown) => settle(index, { state: 'failed', error }),
      )
    })
  })
}

/** Resolves when a majority has answered, whatever it says; with undefined when that cannot be any more. */
export function majorityAnswered(asked: readonly Promise<unknown>[]): Promise<true | undefined> {
  const majority = majorityOf(asked.length)
  return concluded(asked, (answers) => (repliesIn(answers).length >= majority ? true : undefined))
}

export function countOf<Reply>(answers: readonly Answer<Reply>[], is: (reply: Reply) => unknown): number {
  return answers.filter((answer) => answer.state === 'answered' && is(answer.reply)).length
}

export function repliesIn<Reply>(answers: readonly Answer<Reply>[]): Reply[] {
  return answers.flatMap((answer) => (answer.state === 'answered' ? [answer.reply] : []))
}

export function failuresIn<Reply>(answers: readonly Answer<Reply>[]): number {
  return answers.filter(({ state }) => state === 'failed').length
}
