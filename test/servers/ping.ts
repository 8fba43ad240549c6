import { connect } from 'node:net'

/**
 * Whether a server answers `PING` on this port. A demand for a password is an answer too; "still loading" is not.
 *
 * Spoken by hand, so that it works whatever users, passwords and protocol the server was configured with.
 */
export function answersPing(host: string, port: number, withinMs = 1_000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    let reply = ''
    const settle = (answer: boolean): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(withinMs, () => settle(false))
    socket.once('error', () => settle(false))
    socket.once('close', () => settle(false))
    socket.once('connect', () => socket.write('PING\r\n'))
    socket.on('data', (bytes) => {
      reply += bytes.toString('latin1')
      if (reply.includes('\r\n')) settle(reply.startsWith('+PONG') || reply.startsWith('-NOAUTH'))
    })
  })
}
