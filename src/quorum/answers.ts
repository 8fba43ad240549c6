/** What one of several that were asked the same has said so far. */
export type Answer<Reply> =
  | { readonly state: 'pending' }
  | { readonly state: 'answered'; readonly reply: Reply }
  | { readonly state: 'failed'; readonly error: unknown }

/**
 * Waits for answers until `conclude` makes something of them; it is asked anew with each that comes. Undefined when all have
 * come and it has made nothing of them.
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

/** How many have answered so. */
export function countOf<Reply>(answers: readonly Answer<Reply>[], is: (reply: Reply) => boolean): number {
  return answers.filter((answer) => answer.state === 'answered' && is(answer.reply)).length
}

/** What was answered, by those that have. */
export function repliesIn<Reply>(answers: readonly Answer<Reply>[]): Reply[] {
  return answers.flatMap((answer) => (answer.state === 'answered' ? [answer.reply] : []))
}

/** How many have failed. */
export function failuresIn<Reply>(answers: readonly Answer<Reply>[]): number {
  return answers.filter(({ state }) => state === 'failed').length
}
