import type { Argument, Link, Order } from '../connection/link.js'

/** A Lua script, embedded from `lua/` at build time. */
export interface Script {
  readonly name: string
  readonly sha1: string
  readonly source: string
}

/** The keys of a script, the first of which decides where it runs: all are of one slot. */
export type Keys = string | readonly [string, ...string[]]

/**
 * Runs a script by its hash; with its source only if the server does not know it (first use, `SCRIPT FLUSH`, restart,
 * failover: rule X2). A server that does not know the script has run nothing, so sending it once more is safe.
 */
export function runScript<Result>(
  link: Link,
  { name, sha1, source }: Script,
  keys: Keys,
  lockName: string,
  args: readonly Argument[],
  read: (reply: unknown) => Result | Promise<Result>,
  terms?: Pick<Order<unknown, Result>, 'withinMs' | 'announces'>,
): Promise<Result> {
  // A single key, as renewals have, is the most frequent case.
  const [key, rest] = typeof keys === 'string' ? [keys, args] : [keys[0], [...keys.slice(1), ...args]]
  const count = typeof keys === 'string' ? 1 : keys.length
  return link.carryOut(key, (send) => ({
    about: { command: name, lockName },
    ...terms,
    start: () => send('EVALSHA', sha1, count, key, ...rest),
    read,
    retry: (error) => (isUnknownScript(error) ? send('EVAL', source, count, key, ...rest) : undefined),
  }))
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}
