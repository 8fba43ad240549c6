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
 * Runs a script by its hash; with its source only if the server does not know it (first use, `SCRIPT FLUSH`, restart,
 * failover: rule X2). A server that does not know the script has run nothing, so sending it once more is safe.
 */
export function runScript<Result>(
  link: Link,
  { name, sha1, parts }: Script,
  keys: Keys,
  lockName: string,
  args: readonly Argument[],
  read: (reply: unknown) => Result | Promise<Result>,
  terms: ScriptTerms<Result> = {},
): Promise<Result> {
  const [key, rest] = typeof keys === 'string' ? [keys, args] : [keys[0], [...keys.slice(1), ...args]]
  const count = typeof keys === 'string' ? 1 : keys.length
  const { firstKeySuffices, ...announcing } = terms
  return link.execute(key, (send) => ({
    about: { command: name, lockName },
    ...announcing,
    start: () => send('EVALSHA', sha1, count, key, ...rest),
    read,
    retry: (error) => {
      if (isUnknownScript(error)) return send('EVAL', parts.join(''), count, key, ...rest)
      if (!firstKeySuffices || !saysKeysAreApart(error)) return undefined
      return send('EVALSHA', sha1, 1, key, ...args).catch((failure) => {
        if (isUnknownScript(failure)) return send('EVAL', parts.join(''), 1, key, ...args)
        throw failure
      })
    },
  }))
}

interface ScriptTerms<Result> extends Pick<Command<unknown, Result>, 'withinMs' | 'announces'> {
  /** Whether the script can do with its first key alone, while the keys of its slot are on their way to another node. */
  readonly firstKeySuffices?: boolean
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}

/** The server has run nothing. The client library tries for a while, sent to and fro, and then wraps whichever answer came last. */
const KEYS_APART =
  /^(?:TRYAGAIN|Too many Cluster redirections\. Last error: ReplyError: (?:TRYAGAIN|ASK|MOVED)) /

function saysKeysAreApart(error: unknown): boolean {
  return error instanceof Error && KEYS_APART.test(error.message)
}
