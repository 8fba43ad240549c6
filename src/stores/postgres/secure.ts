import { once } from 'node:events'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect, type TLSSocket } from 'node:tls'

/** Asks the server for TLS: length and code of the message. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const YES = 'S'.charCodeAt(0)

/** Modes of the package `postgres` in which any certificate will do. */
const LAX: readonly unknown[] = ['require', 'allow', 'prefer']

/**
 * TLS on a connection to PostgreSQL.
 * @param host what the certificate has to be for
 * @param ssl as the package `postgres` takes it: true, a mode, or options for TLS
 * @param direct without asking the server whether it has TLS
 */
export async function secure(
  socket: Duplex,
  host: string | undefined,
  ssl: unknown,
  direct: boolean,
): Promise<Duplex> {
  if (!direct) {
    socket.write(SSL_REQUEST)
    const closed = once(socket, 'close').then(() => {
      throw new Error('The server closed the connection when it was asked for TLS.')
    })
    const [answer]: unknown[] = await Promise.race([once(socket, 'data'), closed])
    const agreed = Buffer.isBuffer(answer) && answer[0] === YES
    if (!agreed && ssl === 'prefer') return socket
    if (!agreed) throw new Error('The server does not support SSL connections')
  }
  const secured: TLSSocket = connect({
    socket,
    ...(host !== undefined && { host }),
    ...(host !== undefined && isIP(host) === 0 && { servername: host }),
    ...(direct && { ALPNProtocols: ['postgresql'] }),
    ...(LAX.includes(ssl) && { rejectUnauthorized: false }),
    ...(typeof ssl === 'object' && ssl),
  })
  await once(secured, 'secureConnect')
  return secured
}
