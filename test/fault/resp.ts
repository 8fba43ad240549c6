/** Just enough of the Redis protocol (RESP2 and RESP3) to know where a message ends and what a command says. */

const CR = 0x0d
const LINE_END_LENGTH = 2

/** Cuts a stream of bytes into whole messages. */
export class Frames {
  #rest: Buffer = Buffer.alloc(0)

  /** The messages that are complete now that these bytes have come. */
  push(chunk: Buffer): Buffer[] {
    const complete: Buffer[] = []
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    for (let end = endOf(this.#rest, 0); end !== undefined; end = endOf(this.#rest, 0)) {
      complete.push(this.#rest.subarray(0, end))
      this.#rest = this.#rest.subarray(end)
    }
    return complete
  }
}

/** The words of a command, or of any array of strings. */
export function wordsOf(frame: Buffer): string[] {
  const words: string[] = []
  let at = lineEnd(frame, 0)
  while (at !== undefined && at < frame.length) {
    const end = endOf(frame, at)
    if (end === undefined) break
    const bulk = frame[at] === '$'.charCodeAt(0)
    const start = bulk ? lineEnd(frame, at) : at + 1
    words.push(frame.subarray(start, end - LINE_END_LENGTH).toString('utf8'))
    at = end
  }
  return words
}

/** What the server sends unasked, or a subscription's change, by its first word; undefined for an ordinary reply. */
export function newsKind(frame: Buffer): string | undefined {
  const type = String.fromCharCode(frame[0] ?? 0)
  if (type !== '>' && type !== '*') return undefined
  const [kind] = wordsOf(frame)
  if (type === '>') return kind
  return kind !== undefined && NEWS.has(kind) ? kind : undefined
}

const NEWS = new Set(['message', 'smessage', 'subscribe', 'ssubscribe', 'unsubscribe', 'sunsubscribe'])

/** Where the message that starts at `at` ends; undefined while it is not all there. */
function endOf(buffer: Buffer, at: number): number | undefined {
  const body = lineEnd(buffer, at)
  if (body === undefined) return undefined
  const type = String.fromCharCode(buffer[at] ?? 0)
  switch (type) {
    case '$':
    case '=':
    case '!': {
      const length = headOf(buffer, at, body)
      const end = length < 0 ? body : body + length + LINE_END_LENGTH
      return end <= buffer.length ? end : undefined
    }
    case '*':
    case '~':
    case '>':
      return endOfMany(buffer, body, headOf(buffer, at, body))
    case '%':
      return endOfMany(buffer, body, 2 * headOf(buffer, at, body))
    case '+':
    case '-':
    case ':':
    case '_':
    case '#':
    case ',':
    case '(':
      return body
    default:
      throw new Error(`no RESP message starts with ${JSON.stringify(type)}`)
  }
}

function endOfMany(buffer: Buffer, from: number, count: number): number | undefined {
  let at = from
  for (let index = 0; index < count; index += 1) {
    const end = endOf(buffer, at)
    if (end === undefined) return undefined
    at = end
  }
  return at
}

/** The number in a message's first line. */
function headOf(buffer: Buffer, at: number, body: number): number {
  return Number(buffer.toString('latin1', at + 1, body - LINE_END_LENGTH))
}

/** Where the line that starts at `at` ends, its CR LF included. */
function lineEnd(buffer: Buffer, at: number): number | undefined {
  const end = buffer.indexOf(CR, at)
  return end < 0 || end + LINE_END_LENGTH > buffer.length ? undefined : end + LINE_END_LENGTH
}
