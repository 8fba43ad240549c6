import { FrameReader } from '../../../../base/collections/frame-reader.js'

/** The frames of HTTP/2 (RFC 9113) that a client meets, by the numbers of their types. */
export const frameTypes = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const frameFlags = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const

export const settingNumbers = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
} as const

const HEAD = 9
/** The longest payload for a peer that has not allowed more. */
export const LONGEST_PAYLOAD = 16_384

export const NOTHING = Buffer.alloc(0)

export interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

export function writeFrame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(HEAD + payload.length)
  frame.writeUIntBE(payload.length, 0, 3)
  frame[3] = type
  frame[4] = flags
  frame.writeUInt32BE(stream, 5)
  payload.copy(frame, HEAD)
  return frame
}

export function numberPayload(number: number): Buffer {
  const payload = Buffer.allocUnsafe(4)
  payload.writeUInt32BE(number)
  return payload
}

/** Pairs of numbers and values. */
export function settingsPayload(settings: readonly (readonly [number, number])[]): Buffer {
  const payload = Buffer.allocUnsafe(settings.length * 6)
  for (const [index, [number, value]] of settings.entries()) {
    payload.writeUInt16BE(number, index * 6)
    payload.writeUInt32BE(value, index * 6 + 2)
  }
  return payload
}

export function* readSettings(payload: Buffer): Generator<readonly [number, number]> {
  for (let at = 0; at + 6 <= payload.length; at += 6)
    yield [payload.readUInt16BE(at), payload.readUInt32BE(at + 2)]
}

/** The content of a frame of data or headers, without padding. */
export function contentOf({ type, flags, payload }: Frame): Buffer {
  let from = 0
  let to = payload.length
  if (flags & frameFlags.padded) {
    from += 1
    to -= payload[0] ?? 0
  }
  if (type === frameTypes.headers && flags & frameFlags.priority) from += 5
  if (from > to) throw new RangeError('a frame has more filling than room')
  return from === 0 && to === payload.length ? payload : payload.subarray(from, to)
}

/** Throws a RangeError for a frame that is longer than the server may send. */
export function frameReader(): FrameReader {
  return new FrameReader(HEAD, (bytes, at) => {
    const length = bytes.readUIntBE(at, 3)
    if (length > LONGEST_PAYLOAD) throw new RangeError(`a frame has ${length} bytes`)
    return HEAD + length
  })
}

export function readFrame(bytes: Buffer): Frame {
  return {
    type: bytes[3] ?? 0,
    flags: bytes[4] ?? 0,
    stream: bytes.readUInt32BE(5) & 0x7fffffff,
    payload: bytes.subarray(HEAD),
  }
}
