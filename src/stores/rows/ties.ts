import { InvalidArgumentError } from '../../base/errors/errors.js'
import type { Owner } from '../../base/identity/owner.js'
import type { LockPort } from '../../port/lock-port.js'
import { aRecordOf, aText, jsonIn, partsOf } from './parts.js'

/** Ties locks to transactions of the application. A tie is something that a transaction keeps until it ends, and that others can look for. */
export interface Ties {
  /**
   * Makes an open transaction keep a new tie, and returns its name. Rejects with `InvalidArgumentError` if `tx` is no transaction in the
   * database that keeps the lock, with `NoTransactionError` if none is open, or with `StoreError`.
   */
  tie(tx: unknown, lockName: string): Promise<string>
}

/** `LockPort.tie` of locks in rows, once the transaction has the tie: every later owner then sees it. */
export function tieBy(
  ties: Ties | undefined,
  note: (name: string, owner: Owner, tie: string) => Promise<boolean>,
): LockPort['tie'] {
  return ties && (async (name, owner, tx) => await note(name, owner, await ties.tie(tx, name)))
}

export function notHere(tx: unknown, lockName: string): InvalidArgumentError {
  return new InvalidArgumentError('tx', tx, 'a transaction in the database that keeps the lock', { lockName })
}

/** The ties of a lock as its row keeps them, each with the holder for whom it keeps the lock. */
export type Tied<Holder extends string> = Record<string, Holder>

const someTies = partsOf({}, { ties: aRecordOf(aText, aText) })

/** The ties in the `rest` of a row. */
export function tiesIn(rest: string | undefined): readonly string[] {
  if (rest === undefined || !rest.includes('"ties"')) return []
  try {
    return Object.keys(jsonIn(rest, 'rest', someTies).ties ?? {})
  } catch {
    // The reader of the row says what is wrong with it.
    return []
  }
}

/** After how long to look again at a lock that a transaction keeps: nothing announces the transaction's end. */
export const TIED_LOOK_MS = 100
