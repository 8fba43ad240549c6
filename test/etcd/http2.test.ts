/** The client's calls, with a server of Node's; and with one that sends anything. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2'
import { createServer as createNetServer } from 'node:net'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { Channel } from '../../src/etcd/client/channel.js'
import { failureOf } from '../../src/etcd/client/failure.js'
import { framed } from '../../src/etcd/client/frames.js'
import { ConnectionError, GrpcError } from '../../src/etcd/client/grpc-error.js'
import { eventually } from '../setup/eventually.js'

const ignored = { leaving: () => undefined, ended: () => undefined }
const closing: Array<() => void> = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function channelTo(server: { address(): unknown; close(): unknown }): Promise<Channel> {
  const address = server.address()
  if (typeof address !== 'object' || address === null || !('port' in address)) throw new Error('no port')
  const channel = new Channel(`http://127.0.0.1:${address.port}`, undefined, ignored)
  closing.push(() => {
    channel.end()
    server.close()
  })
  await channel.opened
  return channel
}

async function serverOf(
  answer: (stream: ServerHttp2Stream, path: string) => void,
  options = {},
): Promise<Http2Server> {
  const server = createServer(options)
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    answer(stream, String(headers[':path']))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

function succeed(stream: ServerHttp2Stream, message: Buffer): void {
  stream.respond({ ':status': 200 }, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
  stream.end(framed(message))
}

async function echo(stream: ServerHttp2Stream): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part)
  succeed(stream, Buffer.concat(parts).subarray(5))
}

test('what a server writes in headers is read, whatever way it writes them', async () => {
  const seen = fc.stringMatching(/^[!-~]([ -~]{0,200}[!-~])?$/)
  let reason = ''
  const server = await serverOf((stream) =>
    stream.respond(
      { ':status': 200, 'grpc-status': '5', 'grpc-message': encodeURIComponent(reason) },
      { endStream: true },
    ),
  )
  const channel = await channelTo(server)
  await fc.assert(
    fc.asyncProperty(seen, async (text) => {
      reason = text
      await expect(channel.ask('/x', Buffer.alloc(0), {})).rejects.toThrow(new GrpcError(5, text))
    }),
    { numRuns: 300 },
  )
})

test('what a leader drops that is being moved was not done, and may be asked again', () => {
  const failure = failureOf(new GrpcError(2, 'raft proposal dropped'), { command: 'DeleteRange' })
  expect(failure).toMatchObject({ reason: 'not-ready', transient: true })
})

test('messages of any size go both ways, many at once, on a server that allows few calls and little at a time', async () => {
  const settings = { maxConcurrentStreams: 2, initialWindowSize: 1_000 }
  const channel = await channelTo(await serverOf((stream) => void echo(stream), { settings }))
  const messages = [0, 1, 999, 1_000, 16_384, 70_000, 3_000_000, 5].map((size) => randomBytes(size))
  const answers = await Promise.all(messages.map((message) => channel.ask('/x', message, {})))
  expect(answers.map((answer, index) => messages[index]?.equals(answer))).toEqual(messages.map(() => true))
})

test('more comes by one call than is allowed without leave', async () => {
  const total = 20
  const server = await serverOf((stream) => {
    stream.respond({ ':status': 200 })
    for (let sent = 0; sent < total; sent += 1) stream.write(framed(Buffer.alloc(1_000_000, sent)))
  })
  const channel = await channelTo(server)
  const firsts: (number | undefined)[] = []
  const call = channel.converse(
    '/x',
    {},
    { message: (message) => firsts.push(message[0]), end: () => undefined },
  )
  call.send(Buffer.alloc(1))
  await eventually(() => firsts.length === total)
  expect(firsts).toEqual(Array.from({ length: total }, (_, index) => index))
  call.close()
})

test('a call that the server has turned away was not carried out; one that it ends may have been', async () => {
  const refused = 7
  const server = await serverOf((stream, path) => stream.close(path === '/refused' ? refused : 2))
  const channel = await channelTo(server)
  await expect(channel.ask('/refused', Buffer.alloc(0), {})).rejects.toMatchObject({ sent: false })
  await expect(channel.ask('/ended', Buffer.alloc(0), {})).rejects.toMatchObject({ sent: true })
})

test('pings of the server are answered, if not at once: a server in Go sends one with every message otherwise', async () => {
  const server = await serverOf((stream) => void echo(stream))
  const answered: boolean[] = []
  server.on('session', (session) => session.ping((error) => answered.push(error === null)))
  const channel = await channelTo(server)
  await channel.ask('/x', Buffer.alloc(0), {})
  await eventually(() => answered.length > 0)
  expect(answered).toEqual([true])
})

test('pings are answered, and end with the connection', async () => {
  let asked = false
  const server = await serverOf(() => {
    asked = true
  })
  const sessions: Array<{ destroy(): void }> = []
  server.on('session', (session) => sessions.push(session))
  const channel = await channelTo(server)
  await channel.ping()
  const call = channel.ask('/x', Buffer.alloc(0), {})
  await eventually(() => asked)
  for (const session of sessions) session.destroy()
  await expect(call).rejects.toMatchObject({ sent: true })
  await expect(channel.ping()).rejects.toThrow(ConnectionError)
})

test('bytes that are no HTTP/2 end the connection, and nothing else', async () => {
  let said = Buffer.alloc(0)
  const server = createNetServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(said)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  closing.push(() => server.close())
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const settings = Buffer.from('000000040000000000', 'hex')
  const bytes = fc.uint8Array({ maxLength: 200 })
  const frame = fc.tuple(fc.nat(9), fc.nat(255), fc.nat(3), bytes).map(([type, flags, stream, payload]) => {
    const head = Buffer.alloc(9)
    head.writeUIntBE(payload.length, 0, 3)
    head[3] = type
    head[4] = flags
    head.writeUInt32BE(stream, 5)
    return Buffer.concat([head, payload])
  })
  const speech = fc.oneof(
    bytes,
    fc.array(frame).map((frames) => Buffer.concat([settings, ...frames])),
  )
  await fc.assert(
    fc.asyncProperty(speech, async (given) => {
      said = Buffer.from(given)
      const channel = new Channel(url, undefined, ignored)
      const failure = await channel.opened
        .then(() => channel.ask('/x', Buffer.alloc(0), {}))
        .catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(Error)
      expect(failure instanceof ConnectionError || failure instanceof GrpcError).toBe(true)
      channel.end()
    }),
    { numRuns: 300 },
  )
})
