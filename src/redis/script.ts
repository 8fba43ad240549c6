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
export async function runScript(
  link: Link,
  script: Script,
  key: string,
  lockName: string,
  args: ReadonlyArray<string | number>,
): Promise<unknown> {
  const about = { command: script.name, lockName }
  try {
    return await link.send(key, about, 'EVALSHA', script.sha1, 1, key, ...args)
  } catch (error) {
    if (!isUnknownScript(error)) throw error
    return await link.send(key, about, 'EVAL', script.source, 1, key, ...args)
  }
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && error.cause.message.startsWith('NOSCRIPT')
}
