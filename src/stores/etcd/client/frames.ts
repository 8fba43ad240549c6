import { FrameReader } from '../../../base/collections/frame-reader.js'
import { MalformedError } from './protobuf.js'

/** The bytes before each message of gRPC: one says whether it is compressed, four its length. */
export const HEAD = 5

/** Far longer than any reply to this client's requests, and far below what would fill the memory. */
const LONGEST = 64 * 1024 * 1024

/** A message as gRPC sends it. */
export function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(HEAD + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  message.copy(frame, HEAD)
  return frame
}

/** Throws a MalformedError for what no server sends to a client that asked for nothing compressed. */
export function messageReader(): FrameReader {
  return new FrameReader(HEAD, (bytes, at) => {
    if (bytes[at] !== 0) throw new MalformedError('a message is compressed')
    const length = bytes.readUInt32BE(at + 1)
    if (length > LONGEST) throw new MalformedError(`a message has ${length} bytes`)
    return HEAD + length
  })
}
