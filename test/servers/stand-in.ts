import { createServer, type Socket } from 'node:net'
import { listen } from './port.js'

export interface StandIn {
  readonly host: string
  readonly port: number
  readonly address: string
  readonly open: ReadonlySet<Socket>
  stop(): void
}

/** Listens on the loopback interface, and does with each connection what it is told: nothing at all, if that is nothing. */
export async function standIn(greet: (socket: Socket) => unknown = () => undefined): Promise<StandIn> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => undefined).on('close', () => open.delete(socket))
    greet(socket)
  })
  const port = await listen(server)
  return {
    host: '127.0.0.1',
    port,
    address: `127.0.0.1:${port}`,
    open,
    stop: () => {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
