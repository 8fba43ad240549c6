import { codeOf, isError } from '../../base/errors/is-error.js'
import { judgedBy, lasts, NOT_READY, passes, UNKNOWN, UNREACHABLE, type Verdict } from '../../port/failure.js'
import { MalformedReplyError } from './client/jute.js'
import { codes, RefusedError } from './client/result-codes.js'
import { NoAnswerError, SessionOverError } from './client/session.js'

const NO_PERMISSION = lasts(
  'permission',
  'The user needs the rights to create, delete and read (cdr) on the root and on the nodes in it: see docs/zookeeper.md.',
)
const UNREADABLE = passes(
  'unreadable',
  'Something between this client and the server changes answers, or the server is no ZooKeeper.',
)
const NOT_TRUSTED = lasts(
  'unreachable',
  'The client does not trust the certificate of the server, or the server has no TLS at that port: pass the CA that signed it ' +
    '(tls: { ca }), connect by a name that it is for, and to secureClientPort.',
)

const BY_CODE: Readonly<Record<number, Verdict>> = {
  [codes.noAuth]: NO_PERMISSION,
  [codes.invalidAcl]: lasts(
    'permission',
    'The server does not know the user of this client, so it cannot make nodes for that user alone: set credentials.',
  ),
  [codes.authFailed]: lasts('permission', 'The server refused the user or the password: check credentials.'),
  [codes.needsSasl]: lasts(
    'permission',
    'The server admits only clients that authenticate by SASL, which Holdfast does not speak: use digest or TLS.',
  ),
  [codes.notReadOnly]: passes(
    'read-only',
    'The server has lost its majority and only answers reads: start the other servers.',
  ),
  [codes.quotaExceeded]: lasts('out-of-memory', 'The quota of that path is used up: raise it (setquota).'),
  [codes.sessionExpired]: NOT_READY,
  [codes.sessionMoved]: NOT_READY,
  [codes.throttled]: NOT_READY,
  [codes.systemError]: NOT_READY,
}

/** The typed error for what the client rejected with. */
export const failureOf = judgedBy(judge)

function judge(error: unknown): Verdict {
  if (error instanceof RefusedError) return BY_CODE[error.code] ?? UNKNOWN
  if (error instanceof NoAnswerError) return passes('timeout')
  if (error instanceof SessionOverError) return UNREACHABLE
  // The connection: refused, reset, closed, not trusted.
  const cause = isError(error) ? error.cause : undefined
  if (error instanceof MalformedReplyError || cause instanceof MalformedReplyError) return UNREADABLE
  return isError(cause) && isAboutTls(cause) ? NOT_TRUSTED : UNREACHABLE
}

function isAboutTls(error: Error): boolean {
  return (
    /CERT|INVALID_CA|INVALID_PURPOSE|ERR_SSL|ERR_TLS/.test(codeOf(error) ?? '') ||
    /certificate/i.test(error.message)
  )
}
