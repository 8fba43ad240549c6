import { codeOf } from '../../../base/errors/is-error.js'
import {
  judgedBy,
  lasts,
  NOT_READY,
  passes,
  UNKNOWN,
  UNREACHABLE,
  type Verdict,
} from '../../../port/failure.js'
import { ConnectionError, GrpcError, grpcCodes } from './grpc-error.js'

const NO_PERMISSION = lasts(
  'permission',
  'Grant the user a role that may read and write all keys with the prefix (option prefix).',
)
const NO_ACCESS = lasts(
  'permission',
  'The server wants a user and a password that it knows, or a client certificate: set credentials or tls.',
)
const NOT_TRUSTED = lasts(
  'unreachable',
  'The client does not trust the certificate of the server: pass the CA that signed it (tls: { ca }), and connect by a name that it is for.',
)
const REFUSED_BY_TLS = lasts(
  'unreachable',
  'The two ends do not agree on TLS: use https:// for a server with TLS and http:// for one without, and a client certificate (tls: { cert, key }) where the server asks for one.',
)
/** An unreadable answer leaves the outcome unknown, as a lost one does. */
const UNREADABLE = passes('unreadable', 'etcd gives no such answer: something else answers at its address.')
const FULL = lasts(
  'out-of-memory',
  'The database of etcd is full: compact and defragment it, then disarm its alarm.',
)
const TOO_LARGE = lasts(
  'unknown',
  'etcd takes no request of that size: store less, or raise --max-request-bytes.',
)

const BY_CODE: Readonly<Record<number, Verdict>> = {
  [grpcCodes.cancelled]: NOT_READY,
  [grpcCodes.aborted]: NOT_READY,
  // From a proxy that has lost its server.
  [grpcCodes.internal]: NOT_READY,
  [grpcCodes.deadlineExceeded]: passes('timeout'),
  [grpcCodes.permissionDenied]: NO_PERMISSION,
  [grpcCodes.resourceExhausted]: NOT_READY,
  [grpcCodes.unauthenticated]: { ...NO_ACCESS, transient: true },
  [grpcCodes.unavailable]: NOT_READY,
}

/** The typed error for the failure of a command. */
export const failureOf = judgedBy(judge)

function judge(error: unknown): Verdict {
  if (error instanceof ConnectionError) return tlsVerdict(error.cause) ?? UNREACHABLE
  if (!(error instanceof GrpcError)) return UNREADABLE
  if (error.message.includes('database space exceeded')) return FULL
  if (/user name|user ID|authentication failed/.test(error.message)) return NO_ACCESS
  if (error.message.includes('revision of auth store is old')) return { ...NO_ACCESS, transient: true }
  // In the words of etcd, or of gRPC in front of it.
  if (/request is too large|larger than max/.test(error.message)) return TOO_LARGE
  return BY_CODE[error.code] ?? UNKNOWN
}

function tlsVerdict(cause: unknown): Verdict | undefined {
  const code = codeOf(cause) ?? ''
  if (/CERT|INVALID_CA|INVALID_PURPOSE|UNABLE_TO_VERIFY/.test(code)) {
    return /ALERT/.test(code) ? REFUSED_BY_TLS : NOT_TRUSTED
  }
  return /^ERR_(SSL|TLS)_|EPROTO/.test(code) ? REFUSED_BY_TLS : undefined
}
