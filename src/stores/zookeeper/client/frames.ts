import { FrameReader } from '../../../base/collections/frame-reader.js'
import { MalformedReplyError } from './jute.js'

/** Each frame begins with the length of the rest. */
export const HEAD = 4

/** No reply that a lock asks for comes near it: the names of a hundred thousand that wait. */
const LONGEST = 16 * 1024 * 1024

/** Throws a MalformedReplyError for a length that no frame has. */
export function frameReader(): FrameReader {
  return new FrameReader(HEAD, (bytes, at) => {
    const length = bytes.readInt32BE(at)
    if (length < 0 || length > LONGEST) throw new MalformedReplyError(`a frame of ${length} bytes`)
    return HEAD + length
  })
}
