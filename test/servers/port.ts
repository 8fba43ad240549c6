import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { succeeds } from './until.js'

/*
 * Below the range systems hand out to outgoing connections. A client that reconnects to a port of that range while
 * its server restarts can be given the very port as its own end, connect to itself and so keep the server out.
 */
const LOWEST = 10_000
const HIGHEST = 32_000
/** Each worker of a run has a part of its own: the port of a server that is dead for a while must be free when it comes back. */
const PARTS = 16
const WIDTH = Math.floor((HIGHEST - LOWEST) / PARTS)
const first = LOWEST + (Number(process.env['VITEST_POOL_ID'] ?? 0) % PARTS) * WIDTH

/** Several servers start at once: none is given the port that another is about to listen on. */
const given = new Set<number>()

/** A port of the loopback interface that nothing listens on at the moment, another one each time. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(first, first + WIDTH)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port found between ${first} and ${first + WIDTH}`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ port, host: '127.0.0.1' }, () => probe.close(() => resolve(true)))
  })
}

/** Has what stands in for a server listen on the loopback interface. Resolves with its port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('a server that listens has a port')
  return address.port
}

export function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return succeeds(once(socket, 'connect')).finally(() => socket.destroy())
}

/**
 * Whether a server answers `PING` on this port. A demand for a password is an answer too; "still loading" is not.
 *
 * Spoken by hand, so that it works whatever users, passwords and protocol the server was configured with.
 */
export async function answersPing(host: string, port: number, withinMs = 1_000): Promise<boolean> {
  const socket = connect({ host, port })
  socket.setTimeout(withinMs, () => socket.destroy())
  socket.write('PING\r\n')
  let reply = ''
  try {
    for await (const bytes of socket) {
      reply += String(bytes)
      if (reply.includes('\r\n')) break
    }
  } catch {
    return false
  }
  return /^(\+PONG|-NOAUTH).*\r\n/.test(reply)
}
