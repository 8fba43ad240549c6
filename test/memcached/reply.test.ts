/** What a server sends, however the network cuts it, and whatever it is. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { flagOf, type Reply, ReplyReader, UnreadableReply } from '../../src/stores/memcached/client/reply.js'

const words = fc.array(fc.stringMatching(/^[a-z][\x21-\x7e]{0,20}$/), { maxLength: 5 })
const line = fc
  .record({ status: fc.constantFrom('HD', 'EN', 'NF', 'NS', 'EX', 'MN', 'CLIENT_ERROR'), words })
  .map((reply): Reply => reply)
const value = fc
  .record({ words, value: fc.string({ unit: 'binary', maxLength: 300 }) })
  .map((reply): Reply => ({ status: 'VA', ...reply }))

function bytesOf({ status, words: flags, value: text }: Reply): Buffer {
  if (text === undefined) return Buffer.from(`${[status, ...flags].join(' ')}\r\n`)
  return Buffer.from(`${[status, Buffer.byteLength(text), ...flags].join(' ')}\r\n${text}\r\n`)
}

function readAll(pieces: readonly Buffer[]): Reply[] {
  const reader = new ReplyReader()
  return pieces.flatMap((piece) => reader.read(piece))
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place))
}

describe('replies', () => {
  test('are read as they were written, wherever they are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(line, value)), fc.array(fc.nat(), { maxLength: 20 }), (replies, cuts) => {
        expect(readAll(cutAt(Buffer.concat(replies.map(bytesOf)), cuts))).toEqual(replies)
      }),
    )
  })

  test('that are none are refused', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 400 })), (pieces) => {
        const reader = new ReplyReader()
        try {
          for (const piece of pieces)
            for (const { status } of reader.read(Buffer.from(piece))) expect(status).toBeTypeOf('string')
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableReply)
        }
      }),
    )
    for (const hostile of [
      Buffer.alloc(9_000, 'x'),
      'HD\n',
      '\n',
      'VA -1\r\n',
      'VA\r\n\r\n',
      'VA 1e3\r\nx\r\n',
      'VA 99999999\r\n',
      'VA 3 c1\r\nabcde',
    ])
      expect(() => new ReplyReader().read(Buffer.from(hostile)), String(hostile).slice(0, 20)).toThrow(
        UnreadableReply,
      )
  })

  test('say what they say of a flag', () => {
    const reply = { status: 'VA', words: ['c12', 't-1', 's3'] }
    expect([flagOf(reply, 'c'), flagOf(reply, 't'), flagOf(reply, 'x')]).toEqual(['12', '-1', undefined])
  })
})
