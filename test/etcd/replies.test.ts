import { createServer, type ServerHttp2Stream } from 'node:http2'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StoreError } from '../../src/index.js'
import { framed, HEAD, messageReader } from '../../src/stores/etcd/client/call.js'
import { Channel } from '../../src/stores/etcd/client/channel.js'
import { MalformedError } from '../../src/stores/etcd/client/protobuf.js'
import { replies } from '../../src/stores/etcd/client/replies.js'
import { prefixSpan, requests } from '../../src/stores/etcd/client/requests.js'
import { blockerOf } from '../../src/stores/session/turns.js'
import { EtcdServer } from '../servers/etcd/index.js'
import { listen } from '../servers/port.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { anyLock, linkTo, memberOf } from './scene.js'

const server = duringAll(() => EtcdServer.start())
let url = ''
/** What it answers, by the call's path. */
let answer: (stream: ServerHttp2Stream, path: string) => void = () => undefined

duringAll(async () => {
  const fake = createServer()
  fake.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    answer(stream, String(headers[':path']))
  })
  fake.on('sessionError', () => undefined)
  url = `http://127.0.0.1:${await listen(fake)}`
  return fake
})

function respond(stream: ServerHttp2Stream, body: Buffer, trailers: Record<string, string>): void {
  if (stream.destroyed) return
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers(trailers))
  stream.end(body)
}

const range = { range: { key: Buffer.of(1) } }
const asked = { when: [], ifSo: [range], ifNot: [range] }
const readers: Record<string, (message: Buffer) => unknown> = {
  ...replies,
  txn: (message) => replies.txn(message, asked),
  leaseKeepAlive: (message) => replies.leaseKeepAlive(message, 1n),
}

test.each(Object.keys(readers))('%s: any bytes are read, or refused as malformed', (name) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        readers[name]?.(Buffer.from(bytes))
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedError)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('messages come out whole and in order, however they are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.array(fc.nat(20)), (messages, cuts) => {
      const all = Buffer.concat(messages.map((message) => framed(Buffer.from(message))))
      const reader = messageReader()
      const read: Buffer[] = []
      let at = 0
      for (const cut of [...cuts, all.length]) {
        read.push(...reader.read(all.subarray(at, at + cut)))
        at = Math.min(at + cut, all.length)
      }
      expect(read.map((each) => [...each.subarray(HEAD)])).toEqual(messages.map((each) => [...each]))
      expect(reader.torn).toBe(false)
    }),
  )
})

test('C3: whatever a server answers, an attempt is rejected in time, and nothing is granted', async () => {
  const bytes = fc.uint8Array({ maxLength: 100 }).map((each) => Buffer.from(each))
  const body = fc.oneof(bytes, bytes.map(framed), fc.constant(framed(Buffer.alloc(0))))
  const status = fc.constantFrom('0', '', '5', '14', '99', 'abc')
  await fc.assert(
    fc.asyncProperty(body, status, fc.boolean(), async (said, code, breaks) => {
      answer = (stream) => {
        if (breaks) stream.close(2)
        else respond(stream, said, code === '' ? {} : { 'grpc-status': code, 'grpc-message': '%zz' })
      }
      const { link, key } = linkTo([{ url }], { commandTimeoutMs: 500 })
      const own = key()
      const stood = await link
        .stand({ lock: anyLock(), session: '1', key: own, mode: 'lock', ifFree: false })
        .catch((error: unknown) => {
          expect(error).toBeInstanceOf(StoreError)
          return undefined
        })
      expect(stood?.some((entry) => entry.key === own) ?? false).toBe(false)
      await expect(link.begin(2_000)).rejects.toBeInstanceOf(StoreError)
    }),
    { numRuns: 60 },
  )
})

test('faults A1: an answer that cannot be read is told as such, and calls beside it go on', async () => {
  let held: ServerHttp2Stream | undefined
  const [revision, leaseForAges] = [
    Buffer.from('0a021801', 'hex'),
    Buffer.from('10011880808080808080804040', 'hex'),
  ]
  answer = (stream, path) => {
    if (path.endsWith('Range')) held = stream
    else respond(stream, framed(Buffer.concat([revision, leaseForAges])), { 'grpc-status': '0' })
  }
  const { link } = linkTo([{ url }])
  const beside = link.read(anyLock())
  await eventually(() => held !== undefined)
  await expect(link.begin(2_000)).rejects.toMatchObject({ reason: 'unreadable', transient: true })
  if (held) respond(held, framed(revision), { 'grpc-status': '0' })
  expect(await beside).toEqual([])
})

test('a true answer to somebody who waits, cut or joined at any place, grants nothing', async () => {
  const lock = anyLock()
  const holder = await memberOf(lock, [server])
  await holder.stand()
  const { link, key } = linkTo([{ url }], { commandTimeoutMs: 500 })
  const own = key()
  expect(await holder.stand(own)).toHaveLength(2)
  const truth = await rawAnswer(lock.name)
  await fc.assert(
    fc.asyncProperty(fc.nat(truth.length), fc.nat(truth.length), async (from, to) => {
      const cut = Buffer.concat([truth.subarray(0, from), truth.subarray(to)])
      answer = (stream) => respond(stream, framed(cut), { 'grpc-status': '0' })
      const read = await link.read(lock).catch((error: unknown) => {
        expect(error).toBeInstanceOf(StoreError)
        return []
      })
      const mine = read.find((entry) => entry.key === own)
      // The holder's entry may have been cut out whole, of which nothing tells; else it stands before.
      if (mine && read.length > 1) expect(blockerOf(read, mine)).toBeDefined()
    }),
    { numRuns: 200 },
  )
})

/** The bytes with which etcd answers the question for that line. */
async function rawAnswer(name: string): Promise<Buffer> {
  const channel = new Channel(server.url, undefined, { leaving: () => undefined, ended: () => undefined })
  await channel.opened
  const request = requests.range(prefixSpan(Buffer.from(`holdfast/${name}/`)))
  const bytes = await channel.ask('/etcdserverpb.KV/Range', request, {})
  channel.end()
  return bytes
}
