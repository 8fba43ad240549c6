import { isError } from '../../../base/errors/is-error.js'
import type { Argument, Command, Link } from '../connection/link.js'
import type { Refusals } from '../connection/refusals.js'

/** A Lua script, embedded from `lua/` at build time. */
export interface Script {
  readonly name: string
  readonly sha1: string
  /** Its text, in pieces: scripts share some of them. */
  readonly parts: readonly string[]
}

/** The keys of a script, the first of which decides where it runs: all are of one slot. */
export type Keys = string | readonly [string, ...string[]]

/** How often Holdfast repeats the client library's attempts to reach keys that move to another node: 1.6 s in all. */
const ATTEMPTS_APART = 9

/**
 * Runs a script by its hash; with its source only if the server does not know it (first use, `SCRIPT FLUSH`, restart,
 * failover: rule X2). A server that does not know the script has run nothing, so sending it once more is safe.
 */
export function runScript<Result>(
  link: Pick<Link, 'execute'>,
  { name, sha1, parts }: Script,
  keys: Keys,
  lockName: string,
  args: ReadonlyArray<Argument | readonly Argument[]>,
  read: (reply: unknown) => Result | Promise<Result>,
  { announces, withinMs, alone }: ScriptTerms<Result> = {},
): Promise<Result> {
  const all: readonly [string, ...string[]] = typeof keys === 'string' ? [keys] : keys
  const [first] = all
  let given = all
  return link.execute(first, (send) => {
    const run = (command: string, text: string): Promise<unknown> =>
      send(command, text, given.length, given, ...args)
    return {
      about: { command: name, lockName },
      announces,
      withinMs,
      start: () => {
        given = alone?.has('keys') ? [first] : all
        return run('EVALSHA', sha1)
      },
      read,
      retry: (error) => {
        const bySource = (): Promise<unknown> => run('EVAL', parts.join(''))
        if (isUnknownScript(error)) return bySource()
        const again = (): Promise<unknown> =>
          run('EVALSHA', sha1).catch((failure: unknown) => {
            if (isUnknownScript(failure)) return bySource()
            throw failure
          })
        if (!alone || given.length === 1)
          return saysKeysAreApart(error) ? untilTogether(ATTEMPTS_APART, error, again) : undefined
        const refused = refusesKeys(error)
        if (!refused && !saysKeysAreApart(error)) return undefined
        given = [first]
        const answer = again()
        if (!refused) return answer
        return answer.then((reply) => {
          alone.add('keys', { command: name, lockName }, error)
          return reply
        })
      },
    }
  })
}

export interface ScriptTerms<Result> extends Pick<Command<unknown, Result>, 'withinMs' | 'announces'> {
  /**
   * Set where the script can do with its first key alone: while its slot moves to another node, and where the user may not use the other
   * keys, which this remembers.
   */
  readonly alone?: Refusals | undefined
}

function isUnknownScript(error: unknown): boolean {
  return isError(error) && UNKNOWN_SCRIPT.test(error.message)
}

const UNKNOWN_SCRIPT = /^(?:Too many Cluster redirections\. Last error: ReplyError: )?NOSCRIPT /

/** The server has run nothing. The client library tries for a while, sent to and fro, and then wraps whichever answer came last. */
const KEYS_APART =
  /^(?:TRYAGAIN|Too many Cluster redirections\. Last error: ReplyError: (?:TRYAGAIN|ASK|MOVED)) /

function saysKeysAreApart(error: unknown): boolean {
  return isError(error) && KEYS_APART.test(error.message)
}

/** Repeats it while its keys are apart, so many times at most. */
function untilTogether(times: number, error: unknown, start: () => Promise<unknown>): Promise<unknown> {
  if (times === 0 || !saysKeysAreApart(error)) return Promise.reject(error)
  return start().catch((again: unknown) => untilTogether(times - 1, again, start))
}

/** An ACL allows a user some of the keys, or none. The server has run nothing. */
function refusesKeys(error: unknown): boolean {
  return isError(error) && /^NOPERM .*\baccess (?:a key|one of the keys)/.test(error.message)
}
