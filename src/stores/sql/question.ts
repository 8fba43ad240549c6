import { StoreError } from '../../base/errors/errors.js'
import type { About } from '../../port/failure.js'
import type { SqlValue, Statement } from './connection.js'

/** A question to the server. */
export interface Question {
  readonly statement: Statement
  readonly values?: readonly SqlValue[] | undefined
  readonly about: About
}

/** @param command what the question is called in errors */
export function question(
  statement: Statement,
  values?: readonly SqlValue[],
  command = statement.name,
  lockName?: string,
): Question {
  return { statement, values, about: { command, lockName } }
}

/**
 * The value that `read` finds in an answer. Rejects with a `StoreError` (`unreadable`) if it finds none: something between this client and
 * the server changes answers. The outcome of the statement is then unknown.
 */
export async function readBy<Answer, Result>(
  { command, lockName }: About,
  asked: Promise<Answer>,
  read: (answer: Answer) => Result,
): Promise<Result> {
  const answer = await asked
  try {
    return read(answer)
  } catch (cause) {
    if (cause instanceof StoreError) throw cause
    throw new StoreError('unreadable', command, {
      lockName,
      cause,
      transient: true,
      hint: 'Something between this client and the server changes answers, or another program has written the row.',
    })
  }
}
