import type { Link } from './link.js'

/** A Lua script, embedded from `lua/` at build time. */
export interface Script {
  readonly name: string
  readonly sha1: string
  readonly source: string
}

/**
 * Runs a script on one key, by its hash; with its source only where the server does not know it (first use, `SCRIPT FLUSH`,
 * restart, failover: rule X2). A server that does not know the script has run nothing, so sending it once more is safe.
 */
export function runScript<Result>(
  link: Link,
  { name, sha1, source }: Script,
  key: string,
  lockName: string,
  args: ReadonlyArray<string | number>,
  read: (reply: unknown) => Result | Promise<Result>,
): Promise<Result> {
  return link.carryOut(key, (send) => ({
    about: { command: name, lockName },
    start: () => send('EVALSHA', sha1, 1, key, ...args),
    read,
    retry: (error) => (isUnknownScript(error) ? send('EVAL', source, 1, key, ...args) : undefined),
  }))
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}
