import { codeOf } from '../../base/errors/is-error.js'
import { lasts, type Verdict } from '../../port/failure.js'

export const NEEDS_TLS = lasts(
  'permission',
  'The server takes connections with TLS only: set the client’s option ssl, with the server’s CA (ssl: { ca }).',
)
const HAS_NO_TLS = lasts(
  'unreachable',
  'The server has no TLS: turn it on there, or connect without the client’s option ssl.',
)
const NOT_TRUSTED = lasts(
  'unreachable',
  'The client does not trust the certificate of the server: pass the CA that signed it (ssl: { ca }), and connect by a name that it ' +
    'is for.',
)

/** How the client libraries say that the server knows no TLS: `mysql2`, `mariadb`. */
const NO_TLS_CODES = new Set(['HANDSHAKE_NO_SSL_SUPPORT', 'ER_SERVER_SSL_DISABLED'])

/** The verdict on a client library's error that is about TLS; undefined for others. The server itself has not answered. */
export function tlsVerdict(error: Error): Verdict | undefined {
  const code = codeOf(error) ?? ''
  // `pg` has no code for it.
  if (NO_TLS_CODES.has(code) || error.message.includes('does not support SSL')) return HAS_NO_TLS
  // `mysql2` puts a code of its own in place of Node's.
  const refused = /CERT|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH/.test(code)
  return refused || /certificate/i.test(error.message) ? NOT_TRUSTED : undefined
}
