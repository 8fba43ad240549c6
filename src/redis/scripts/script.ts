import type { Argument, Command, Link } from '../connection/link.js'

/** A Lua script, embedded from `lua/` at build time. */
export interface Script {
  readonly name: string
  readonly sha1: string
  /** Its text, in pieces: scripts share some of them. */
  readonly parts: readonly string[]
}

/** The keys of a script, the first of which decides where it runs: all are of one slot. */
export type Keys = string | readonly [string, ...string[]]

/**
 * Runs a script, by its hash; with its source only where the server does not know it (first use, `SCRIPT FLUSH`, restart,
 * failover: rule X2). A server that does not know the script has run nothing, so sending it once more is safe.
 */
export function runScript<Result>(
  link: Link,
  { name, sha1, parts }: Script,
  keys: Keys,
  lockName: string,
  args: readonly Argument[],
  read: (reply: unknown) => Result | Promise<Result>,
  terms?: Pick<Command<unknown, Result>, 'withinMs' | 'announces'>,
): Promise<Result> {
  // One key is the rule, and the path that counts.
  const [key, rest] = typeof keys === 'string' ? [keys, args] : [keys[0], [...keys.slice(1), ...args]]
  const count = typeof keys === 'string' ? 1 : keys.length
  return link.execute(key, (send) => ({
    about: { command: name, lockName },
    ...terms,
    start: () => send('EVALSHA', sha1, count, key, ...rest),
    read,
    retry: (error) =>
      isUnknownScript(error) ? send('EVAL', parts.join(''), count, key, ...rest) : undefined,
  }))
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}
