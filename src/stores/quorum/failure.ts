import {
  type HoldfastError,
  InvalidArgumentError,
  StoreError,
  type StoreFailure,
} from '../../base/errors/errors.js'
import { isTransient } from '../../port/failure.js'
import type { Answer } from './answers.js'
import { sparesOf } from './majority.js'
import type { Vote } from './tally.js'

/** One server that failed. */
export interface Failure {
  readonly label: string
  readonly error: unknown
}

/** The servers whose answers are failures. */
export function failuresOf(
  servers: ReadonlyArray<{ readonly label: string }>,
  answers: ReadonlyArray<Answer<unknown> | Vote>,
): Failure[] {
  return answers.flatMap((answer, index) =>
    answer.state === 'failed' ? [{ label: servers[index]?.label ?? '', error: answer.error }] : [],
  )
}

/**
 * The error if too few servers have answered for a decision. It says which failed and why. It is transient unless so many have
 * refused permanently that trying again cannot help.
 */
export function quorumFailure(
  command: string,
  lockName: string | undefined,
  failures: readonly Failure[],
  servers: number,
): HoldfastError {
  const misuse = failures.find(({ error }) => error instanceof InvalidArgumentError)?.error
  if (misuse instanceof InvalidArgumentError) return misuse
  const final = failures.filter(({ error }) => !isTransient(error))
  const transient = final.length <= sparesOf(servers)
  const told = failures.map(({ label, error }) => `${label} (${reasonOf(error)})`).join(', ')
  const message =
    failures.length === 0
      ? `the ${servers} servers disagree`
      : `${failures.length} of ${servers} servers failed: ${told}`
  const [first] = transient ? failures : final
  return new StoreError(failures.length === 0 ? 'not-ready' : reasonOf(first?.error), command, {
    lockName,
    transient,
    cause: new AggregateError(
      failures.map(({ error }) => error),
      message,
    ),
    hint: 'A lock needs a majority of the servers.',
  })
}

function reasonOf(error: unknown): StoreFailure {
  return error instanceof StoreError ? error.reason : 'unknown'
}
