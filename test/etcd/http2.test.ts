/** The client's own HTTP/2, with a server of Node's; and with one that sends anything. */
import { randomBytes } from 'node:crypto'
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { framed, HEAD, messageReader } from '../../src/stores/etcd/client/call.js'
import { Channel } from '../../src/stores/etcd/client/channel.js'
import { failureOf } from '../../src/stores/etcd/client/failure.js'
import { ConnectionError, GrpcError } from '../../src/stores/etcd/client/grpc-error.js'
import { frameFlags, frameTypes } from '../../src/stores/etcd/client/http2/frame.js'
import { HeadersReader, writeHeaders } from '../../src/stores/etcd/client/http2/headers.js'
import { listen } from '../servers/port.js'
import { standIn } from '../servers/stand-in.js'
import { eventually } from '../setup/eventually.js'
import { clientOf } from './scene.js'

const SETTINGS = Buffer.from('000000040000000000', 'hex')
const ignored = { leaving: () => undefined, ended: () => undefined }

/** A server, and a channel to it. */
async function channelTo(answer: (stream: ServerHttp2Stream, path: string) => void, options = {}) {
  const server = createServer(options)
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    answer(stream, String(headers[':path']))
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  const sessions: ServerHttp2Session[] = []
  server.on('session', (session) => sessions.push(session))
  const channel = new Channel(url, undefined, ignored)
  onTestFinished(() => {
    channel.end()
    server.close()
  })
  await channel.opened
  const ask = (path = '/x', message = Buffer.of(1)) => channel.ask(path, message, {})
  return { channel, url, sessions, ask }
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

test('headers come out of a block as they went in, of any length, the first time and later', () => {
  const reader = new HeadersReader()
  const text = fc.string({
    unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
    maxLength: 40_000,
  })
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), text), (headers) => {
      const block = writeHeaders(headers)
      const frame = { type: frameTypes.headers, flags: frameFlags.endHeaders, stream: 1, payload: block }
      for (const _ of [1, 2]) expect({ ...reader.add(frame)?.headers }).toEqual({ ...headers })
    }),
    { examples: [[{ ['__proto__']: 'a name' }]] },
  )
})

test('what a server writes in headers is read, whatever way it writes them', async () => {
  const seen = fc.stringMatching(/^[!-~]([ -~]{0,200}[!-~])?$/)
  let reason = ''
  const { ask } = await channelTo((stream) => {
    const headers = { 'grpc-status': '5', 'grpc-message': encodeURIComponent(reason) }
    stream.respond({ ':status': 200, ...headers }, { endStream: true })
  })
  await fc.assert(
    fc.asyncProperty(seen, async (text) => {
      reason = text
      await expect(ask()).rejects.toThrow(new GrpcError(5, text))
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
  const { ask } = await channelTo((stream) => void echo(stream), { settings })
  const messages = [0, 1, 999, 1_000, 16_384, 70_000, 3_000_000, 5].map((size) => randomBytes(size))
  const answers = await Promise.all(messages.map((message) => ask('/x', message)))
  expect(answers.map((answer, index) => messages[index]?.equals(answer))).toEqual(messages.map(() => true))
})

test('more comes by one call than is allowed without leave', async () => {
  const total = 20
  const { channel } = await channelTo((stream) => {
    stream.respond({ ':status': 200 })
    for (let sent = 0; sent < total; sent += 1) stream.write(framed(Buffer.alloc(1_000_000, sent)))
  })
  const firsts: (number | undefined)[] = []
  const listener = { message: (message: Buffer) => firsts.push(message[0]), end: () => undefined }
  const call = channel.converse('/x', {}, listener)
  call?.send(Buffer.alloc(1))
  await eventually(() => firsts.length === total)
  expect(firsts).toEqual(Array.from({ length: total }, (_, index) => index))
  call?.close()
})

test('a call that the server has turned away was not carried out; one that it ends may have been', async () => {
  const refused = 7
  const { ask } = await channelTo((stream, path) => stream.close(path === '/refused' ? refused : 2))
  await expect(ask('/refused')).rejects.toMatchObject({ sent: false })
  await expect(ask('/ended')).rejects.toMatchObject({ sent: true })
})

test('pings of the server are answered, if not at once: a server in Go sends one with every message otherwise', async () => {
  const { ask, sessions } = await channelTo((stream) => void echo(stream))
  const answered: boolean[] = []
  sessions[0]?.ping((error) => answered.push(error === null))
  await ask()
  await eventually(() => answered.length > 0)
  expect(answered).toEqual([true])
})

test('pings are answered, and end with the connection', async () => {
  let asked = false
  const { channel, ask, sessions } = await channelTo(() => {
    asked = true
  })
  await channel.ping()
  const call = ask()
  await eventually(() => asked)
  for (const session of sessions) session.destroy()
  await expect(call).rejects.toMatchObject({ sent: true })
  await expect(channel.ping()).rejects.toThrow(ConnectionError)
})

test('bytes that are no HTTP/2 end the connection, and nothing else', async () => {
  let said = Buffer.alloc(0)
  const server = await standIn((socket) => void socket.end(said))
  onTestFinished(() => server.stop())
  const url = `http://${server.address}`
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
    fc.array(frame).map((frames) => Buffer.concat([SETTINGS, ...frames])),
  )
  await fc.assert(
    fc.asyncProperty(speech, async (given) => {
      said = Buffer.from(given)
      const channel = new Channel(url, undefined, ignored)
      const failure = await rejectionOf(channel.opened.then(() => channel.ask('/x', Buffer.alloc(0), {})))
      expect(failure instanceof ConnectionError || failure instanceof GrpcError).toBe(true)
      channel.end()
    }),
    { numRuns: 300 },
  )
})

/** An answer to a question for a range: nothing is there, at revision 1. */
const NOTHING_THERE = Buffer.from('0a021801', 'hex')

test('faults B6: a server that goes away answers what it has begun; what came later was not carried out', async () => {
  const streams: ServerHttp2Stream[] = []
  const { ask } = await channelTo((stream) => streams.push(stream))
  const calls = ['/1', '/2', '/3'].map((path) => ask(path))
  const outcomes = Promise.allSettled(calls)
  await eventually(() => streams.length === 3)
  const [first, second] = streams
  if (!first || !second) throw new Error('there are three')
  first.session?.goaway(0, second.id)
  await expect(calls[2]).rejects.toMatchObject({ name: 'ConnectionError', sent: false })
  await expect(ask('/4')).rejects.toMatchObject({ sent: false })
  for (const stream of [first, second]) succeed(stream, Buffer.of(2))
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
})

test('faults B6: behind a balancer that ends connections every 25 calls no call fails, and none is made twice', async () => {
  let sessions = 0
  let carriedOut = 0
  const server = createServer()
  server.on('session', (session) => {
    sessions += 1
    let served = 0
    session.on('stream', (stream) => {
      stream.on('error', () => undefined)
      served += 1
      if (served > 25) return
      carriedOut += 1
      if (served === 25) session.goaway(0, stream.id)
      stream.resume().on('end', () => succeed(stream, NOTHING_THERE))
    })
  })
  const { client } = clientOf([{ url: `http://127.0.0.1:${await listen(server)}` }])
  onTestFinished(() => void server.close())
  const work = async (): Promise<void> => {
    for (let count = 0; count < 40; count += 1)
      expect(await client.deleteRange({ key: Buffer.of(1) }, { command: 'test' })).toBe(0)
  }
  await Promise.all(Array.from({ length: 8 }, work))
  expect(carriedOut).toBe(320)
  expect(sessions).toBeGreaterThan(10)
})

test('faults B7: what comes ahead of an answer is none', async () => {
  const { ask } = await channelTo((stream) => {
    stream.additionalHeaders({ ':status': 103 })
    succeed(stream, Buffer.of(7))
  })
  expect(await ask()).toEqual(Buffer.of(7))
})

const halfAnswers: Readonly<Record<string, (stream: ServerHttp2Stream) => void>> = {
  'a gateway that has lost its server': (stream) => stream.respond({ ':status': 502 }, { endStream: true }),
  'trailers without a status': (stream) => {
    stream.respond({ ':status': 200 }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ other: 'word' }))
    stream.end(framed(NOTHING_THERE))
  },
  'an answer without trailers': (stream) => {
    stream.respond({ ':status': 200 })
    stream.end(framed(NOTHING_THERE))
  },
  'an answer that is reset': (stream) => {
    stream.respond({ ':status': 200 })
    stream.write(framed(NOTHING_THERE), () => stream.close(2))
  },
}

test.each(Object.entries(halfAnswers))(
  'faults B7: %s: a change is sent once, and its outcome is unknown; a question is asked again',
  async (_, answer) => {
    let asked = 0
    const { url } = await channelTo((stream) => {
      asked += 1
      const give = asked > 2 ? (): void => succeed(stream, NOTHING_THERE) : (): void => answer(stream)
      stream.resume().on('end', give)
    })
    const { client } = clientOf([{ url }])
    const request = [{ key: Buffer.of(1) }, { command: 'test' }] as const
    const unknown = { name: 'StoreError', transient: true }
    await expect(client.deleteRange(...request)).rejects.toMatchObject(unknown)
    expect(asked).toBe(1)
    expect((await client.range(...request)).revision).toBe(1n)
    expect(asked).toBe(3)
  },
)

test.each([
  ['pings', Buffer.concat([Buffer.from('000008060000000000', 'hex'), Buffer.alloc(8)])],
  ['settings', SETTINGS],
])(
  'faults B8: a server that sends %s without end, and reads nothing, is left, and fills no memory',
  async (_, flood) => {
    const chunk = Buffer.concat(Array.from({ length: 10_000 }, () => flood))
    const server = await standIn((socket) => {
      socket.write(SETTINGS)
      const go = (error?: Error | null): void => {
        if (!error && !socket.destroyed) socket.write(chunk, (failure) => setImmediate(go, failure))
      }
      go()
    })
    const before = process.memoryUsage().rss
    const channel = new Channel(`http://${server.address}`, undefined, ignored)
    onTestFinished(() => {
      channel.end()
      server.stop()
    })
    const asked = channel.opened.then(() => channel.ask('/x', Buffer.of(1), {}))
    await expect(asked).rejects.toMatchObject({ name: 'ConnectionError' })
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000)
  },
)

test('faults B8: a large message that comes in small pieces takes time in proportion to its length', () => {
  const message = randomBytes(16_000_000)
  const frame = Buffer.concat([framed(message), framed(Buffer.of(1))])
  const reader = messageReader()
  const messages: Buffer[] = []
  // Quadratic time would be minutes.
  for (let at = 0; at < frame.length; at += 250) messages.push(...reader.read(frame.subarray(at, at + 250)))
  expect(messages.map((each) => each.length - HEAD)).toEqual([message.length, 1])
  expect(messages[0]?.subarray(HEAD).equals(message)).toBe(true)
  expect(reader.torn).toBe(false)
})
