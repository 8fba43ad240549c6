import { connect as connectNet, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'

/** Opens a socket to a URL, and names the event that says that it is open. */
export function dial(
  url: string,
  tls: ConnectionOptions | undefined,
): { readonly socket: Socket; readonly connected: 'connect' | 'secureConnect' } {
  const { hostname, protocol, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const address = { host, port: Number(port) }
  if (protocol !== 'https:') return { socket: connectNet(address), connected: 'connect' }
  const named = isIP(host) === 0 && { servername: host }
  return {
    socket: connectTls({ ...named, ALPNProtocols: ['h2'], ...tls, ...address }),
    connected: 'secureConnect',
  }
}
