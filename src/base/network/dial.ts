import { connect, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { Address } from '../checks/address.js'

/** The idle time after which TCP probes a connection: firewalls then keep it, and a vanished server shows. */
const KEEP_ALIVE_MS = 10_000

/** Connects to a server; with TLS where there are options for it. Whoever awaits an answer keeps the process alive, not the socket. */
export function dial(address: Address, tls: ConnectionOptions | undefined): Socket {
  // TLS tells servers the name that the client wants, but no address.
  const named = isIP(address.host) === 0 && { servername: address.host }
  const socket = tls ? connectTls({ ...named, ...tls, ...address }) : connect(address)
  return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS).unref()
}
