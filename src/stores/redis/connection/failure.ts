import { StoreError } from '../../../base/errors/errors.js'
import { isError } from '../../../base/errors/is-error.js'
import { type About, judgedBy, NOT_READY, UNKNOWN, type Verdict } from '../../../port/failure.js'
import type { Command } from './link.js'

const NO_PERMISSION: Verdict = {
  reason: 'permission',
  transient: false,
  hint: 'Allow the ACL user this command, key or channel.',
}

const NO_DATABASE: Verdict = {
  ...NO_PERMISSION,
  hint: 'The server has no database of that number: choose another.',
}

const UNREACHABLE: Verdict = {
  reason: 'unreachable',
  transient: true,
  hint: 'Check that the server runs, and its address.',
}
const IN_SCRIPT: Verdict = { reason: 'script', transient: false }

/** Error replies whose text counts before their first word. */
const BY_TEXT: ReadonlyArray<readonly [text: RegExp, verdict: Verdict]> = [
  [/ACL failure|permission|can't (?:run this command|access|publish)/i, NO_PERMISSION],
  // While the script ran, a key moved to another node with its slot: the script's earlier changes stand.
  [/non local key/, NOT_READY],
  [
    /max number of clients/,
    { ...NOT_READY, hint: 'The server has no more connections: raise its maxclients.' },
  ],
  [/DB index is out of range/, NO_DATABASE],
  // A subscribed connection takes no commands, nor does one that subscribed while it was set up: the next one will.
  [/Can't execute/, UNREACHABLE],
]

/** The meaning of the first word of a Redis error reply for a lock. */
const BY_WORD: Readonly<Record<string, Verdict>> = {
  WRONGTYPE: {
    reason: 'wrong-type',
    transient: false,
    hint: 'The key holds no lock: choose another name, or a keyPrefix for locks.',
  },
  NOPERM: NO_PERMISSION,
  NOAUTH: { ...NO_PERMISSION, hint: 'Set the password that the server requires.' },
  WRONGPASS: { ...NO_PERMISSION, hint: 'Check the user name and password.' },
  OOM: {
    reason: 'out-of-memory',
    transient: false,
    hint: 'Raise maxmemory, or give locks a server of their own.',
  },
  READONLY: {
    reason: 'read-only',
    transient: true,
    hint: 'The server is a replica: connect to the primary.',
  },
  MISCONF: {
    reason: 'read-only',
    transient: true,
    hint: 'The server cannot save its data: check its disk and log.',
  },
  NOREPLICAS: NOT_READY,
  LOADING: NOT_READY,
  MASTERDOWN: NOT_READY,
  CLUSTERDOWN: NOT_READY,
  TRYAGAIN: NOT_READY,
  MOVED: NOT_READY,
  ASK: NOT_READY,
  BUSY: { ...NOT_READY, hint: 'Another script blocks the server: SCRIPT KILL ends it.' },
  UNBLOCKED: NOT_READY,
  CROSSSLOT: IN_SCRIPT,
  NOSCRIPT: IN_SCRIPT,
  ERR: IN_SCRIPT,
}

/** The typed error for the client library's rejection of a command. */
export const failureOf = judgedBy(judge)

function judge(error: unknown): Verdict {
  if (!isError(error)) return UNKNOWN
  // A client's other rejections concern the connection: closed, reset, refused, flushed from a queue.
  if (!isReply(error)) return UNREACHABLE
  const { message } = error
  const word = codeOf(message)
  const told = BY_TEXT.find(([text]) => text.test(message))?.[1]
  if (told) return told
  if (refusesDatabase(error) && word === 'ERR') return NO_DATABASE
  return BY_WORD[word] ?? UNKNOWN
}

/** The first word of an error reply. Redis 6 wraps an error inside a script, and every version an ACL failure there. */
function codeOf(message: string): string {
  return /^(?:ERR Error running script.*?: )?-?([A-Z]+)/.exec(message)?.[1] ?? 'ERR'
}

/** Answers of a server that may no longer be the right one: a new connection finds the right one. */
const WRONG_SERVER = new Set(['READONLY', 'MASTERDOWN', 'LOADING', 'CLUSTERDOWN'])

/** Whether a failed command is a reason to look for another server. */
export function leadsElsewhere(error: unknown): boolean {
  return isReply(error) && WRONG_SERVER.has(codeOf(error.message))
}

/** Whether a server has refused the connection's database: the user may not use it, it does not exist, or the server is busy. */
export function refusesDatabase(error: unknown): boolean {
  if (!isReply(error) || !('command' in error)) return false
  const { command } = error
  return typeof command === 'object' && command !== null && 'name' in command && command.name === 'select'
}

/** Whether the user lacks a permission. */
export function isRefusal(error: unknown): boolean {
  return error instanceof StoreError && error.reason === 'permission'
}

/** Whether a server has answered, if with an error. */
export function isReply(error: unknown): error is Error {
  return isError(error) && error.name === 'ReplyError'
}

/** Reads the value of an answer; throws a `StoreError` if it has another shape. */
export function readAnswer<Reply, Result>(
  command: Pick<Command<Reply, Result>, 'about' | 'read'>,
  reply: Reply,
): Result | Promise<Result> {
  try {
    const result = command.read(reply)
    return result instanceof Promise
      ? result.catch((error) => Promise.reject(unreadable(error, command.about)))
      : result
  } catch (error) {
    throw unreadable(error, command.about)
  }
}

/** As {@link readAnswer}, for a command that a link sends. */
export async function answerTo<Result>(
  about: About,
  sent: Promise<unknown>,
  read: (reply: unknown) => Result,
): Promise<Result> {
  return await readAnswer({ about, read }, await sent)
}

/** The outcome of the command is unknown, as after a lost answer: the caller may send the same request again. */
function unreadable(error: unknown, { command, lockName }: About): StoreError {
  if (error instanceof StoreError) return error
  return new StoreError('unreadable', command, {
    lockName,
    cause: error,
    transient: true,
    hint: 'A proxy changes answers, or this is no Redis: connect to the server itself.',
  })
}

/** The error for a command without an answer in time (rule C3). Its outcome is unknown. */
export function timeoutOf(about: About, timeoutMs: number): StoreError {
  return new StoreError('timeout', about.command, {
    lockName: about.lockName,
    transient: true,
    hint: `The server did not answer within ${timeoutMs} ms (commandTimeoutMs): check its load.`,
  })
}
