import { StoreError } from '../../../base/errors/errors.js'
import { isError } from '../../../base/errors/is-error.js'
import {
  type About as CommandAbout,
  lasts,
  NOT_READY,
  passes,
  UNKNOWN,
  UNREACHABLE,
  type Verdict,
} from '../../../port/failure.js'
import type { Reply } from './reply.js'

/** What a command was about, for its errors. */
export interface About extends CommandAbout {
  /** It sends a password: what is no memcached may repeat that in its reply. */
  readonly login?: true
}

const NO_PERMISSION = lasts(
  'permission',
  'The server did not accept the user and the password: pass those of its -Y file (option credentials).',
)
const NO_MEMORY = passes('out-of-memory', 'The server has no memory left for an item: give it more (-m).')
const TOO_MANY = passes('not-ready', 'The server has no room for more connections: raise its limit (-c).')
const TOO_OLD = lasts('unknown', 'The server does not know the meta commands: use memcached 1.6.18 or later.')
const NO_VERSIONS = lasts('unknown', 'The server keeps no versions of items: start it without -C.')
const NOT_TRUSTED = lasts(
  'unreachable',
  'The client does not trust the certificate of the server: pass the CA that signed it (tls: { ca }).',
)
const UNREADABLE = passes(
  'unreadable',
  'Something between this client and the server changes answers, or the server is no memcached.',
)
const NOT_MEMCACHED = lasts(
  'unreachable',
  'What answers there is not memcached 1.6, or only one side speaks TLS: check the address, and the option tls.',
)

/** The error for a reply that tells of one. */
export function failureIn({ status, words }: Reply, about: About): StoreError {
  const text = [status, ...words].join(' ')
  return failed(judge(status, text), about, new Error(about.login ? status : text))
}

function judge(status: string, text: string): Verdict {
  if (/authenticat/i.test(text)) return NO_PERMISSION
  if (/out of memory/i.test(text)) return NO_MEMORY
  if (/too many open connections/i.test(text)) return TOO_MANY
  if (status === 'SERVER_ERROR') return NOT_READY
  if (status === 'ERROR' || /invalid flag/i.test(text)) return TOO_OLD
  return UNKNOWN
}

/** The error for a server that does not answer, not in TLS, or no longer. It may have carried out what it got. */
export function unreachable(cause: unknown, about: About): StoreError {
  const text = isError(cause) ? `${'code' in cause ? String(cause.code) : ''} ${cause.message}` : ''
  return failed(/certificate|CERT|SELF_SIGNED/i.test(text) ? NOT_TRUSTED : UNREACHABLE, about, cause)
}

/** The failure of a connection, for one of the commands that wait for it. */
export function failureFor(error: unknown, about: About): StoreError {
  if (!(error instanceof StoreError)) return unreachable(error, about)
  if (about.lockName === undefined) return error
  return error.at(about.lockName, error.command === 'connect' ? about.command : error.command)
}

/** A reply that its command never has, which tells its type alone: it may hold anything. What the command has done is unknown. */
export function unreadable(reply: Reply | undefined, about: About): StoreError {
  const found = reply ? `${reply.status} with ${reply.words.length} words` : 'missing'
  return failed(UNREADABLE, about, new Error(`the answer is ${found}, which this command never has`))
}

/** Without versions nobody can tell whether an item is still the one that was looked at. */
export function keepsNoVersions(about: About): StoreError {
  return failed(NO_VERSIONS, about, undefined)
}

/** What is there does not speak memcached's protocol. */
export function notMemcached(cause: unknown, about: About): StoreError {
  return failed(NOT_MEMCACHED, about, cause)
}

function failed({ reason, transient, hint }: Verdict, about: About, cause: unknown): StoreError {
  return new StoreError(reason, about.command, { lockName: about.lockName, cause, transient, hint })
}
