import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { createServer } from 'node:tls'
import { listen } from '../servers/port.js'

/** A port that speaks TLS and passes on what it hears to a server that does not. */
export interface TlsFront {
  readonly port: number
  /** The certificate a client has to trust. */
  readonly certificate: string
  /** Connections that have completed the handshake. */
  readonly accepted: () => number
  stop(): Promise<void>
}

export async function tlsBefore(server: { readonly host: string; readonly port: number }): Promise<TlsFront> {
  const read = (file: string): Promise<string> =>
    readFile(new URL(`certificate/${file}`, import.meta.url), 'utf8')
  const [key, cert] = await Promise.all([read('key.pem'), read('cert.pem')])
  const sockets = new Set<Socket>()
  let accepted = 0
  const front = createServer({ key, cert }, (client) => {
    accepted += 1
    const behind = connect({ host: server.host, port: server.port })
    for (const [side, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(side)
      side.pipe(other)
      side.on('error', () => undefined)
      side.on('close', () => other.destroy())
    }
  })
  return {
    port: await listen(front),
    certificate: cert,
    accepted: () => accepted,
    async stop() {
      for (const socket of sockets) socket.destroy()
      front.close()
      await once(front, 'close')
    },
  }
}
