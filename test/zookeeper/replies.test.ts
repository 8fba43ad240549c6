/** Whatever a server says, its client answers or rejects in time, takes nothing for a grant that is none, and goes on. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  frameReader,
  HEAD,
  JuteReader,
  JuteWriter,
  MalformedReplyError,
} from '../../src/stores/zookeeper/client/jute.js'
import {
  createContainer,
  createNumbered,
  getChildren,
  multi,
} from '../../src/stores/zookeeper/client/operations.js'
import { runsOr } from '../properties/runs.js'
import { ZooKeeperServer } from '../servers/zookeeper/index.js'
import { duringAll } from '../setup/during.js'
import { Scene } from './scene.js'
import { Tap } from './tap.js'

const ANYONE = [{ scheme: 'world', id: 'anyone' }]
const FOLDER = '/replies'

const server = duringAll(() => ZooKeeperServer.start())
const scene = new Scene()

/** A reply to the request of that number, cut off, lengthened or made up. */
const replies = fc.oneof(
  fc.uint8Array({ maxLength: 64 }),
  // Header and body: of this request or another, with a code or without, and then anything.
  fc
    .tuple(
      fc.integer({ min: -10, max: 20 }),
      fc.constantFrom(0, 0, -101, -1, 7),
      fc.uint8Array({ maxLength: 100 }),
    )
    .map(([xid, code, body]) => {
      return Buffer.concat([new JuteWriter().int(xid).long(1n).int(code).frame().subarray(4), body])
    }),
)

test('C3: a reply that makes no sense ends its connection or is a refusal; the session goes on', async () => {
  const tap = scene.keep(await Tap.before(server))
  // One after the other, so that no connection has to wait for others that have ended early before it.
  const begin = () => scene.session(tap.address, { timeoutMs: 20_000, commandTimeoutMs: 1_500 })
  await (await begin()).request(createContainer(FOLDER, ANYONE))
  let made = 0
  await fc.assert(
    fc.asyncProperty(replies, async (reply) => {
      const session = await begin()
      const struck = tap.replaceReply('create', Buffer.from(reply))
      made += 1
      const name = `entry-${made}-`
      const outcome: unknown = await session
        .request(createNumbered(`${FOLDER}/${name}`, ANYONE))
        .catch((reason: unknown) => reason)
      await struck
      expect(outcome).toBeInstanceOf(Error)
      const there = await session
        .request(getChildren(FOLDER))
        .catch(async () => session.request(getChildren(FOLDER)))
      expect(there.some((node) => node.startsWith(name))).toBe(true)
    }),
    runsOr(60),
  )
})

test('a frame is read whole however its bytes arrive, and one of an impossible length is refused', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }),
      (bodies, cuts) => {
        const bytes = Buffer.concat(bodies.map((body) => new JuteWriter().buffer(body).frame().subarray(4)))
        const read: Buffer[] = []
        const frames = frameReader()
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const length = cuts[turn % cuts.length] ?? 1
          for (const frame of frames.read(bytes.subarray(at, at + length)))
            read.push(Buffer.from(frame.subarray(HEAD)))
          at += length
        }
        expect(read).toEqual(bodies.map((body) => Buffer.from(body)))
      },
    ),
    runsOr(300),
  )
  for (const length of [-1, 2 ** 31 - 1, 17 * 1024 * 1024]) {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32BE(length)
    expect(() => frameReader().read(bytes)).toThrow(MalformedReplyError)
  }
})

test('what is read of any bytes ends, with a value or a typed error', () => {
  const readings = ['bool', 'int', 'long', 'buffer', 'text', 'texts'] as const
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(fc.constantFrom(...readings), { maxLength: 20 }),
      (bytes, how) => {
        const reader = new JuteReader(Buffer.from(bytes))
        try {
          multi([]).read(new JuteReader(Buffer.from(bytes)))
          for (const each of how) reader[each]()
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedReplyError)
        }
      },
    ),
    runsOr(500),
  )
})
