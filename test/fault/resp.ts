/** Just enough of the Redis protocol (RESP2 and RESP3) to know where a message ends and what a command says. */

const LINE_END_LENGTH = 2
const NEWS = new Set(['message', 'smessage', 'subscribe', 'ssubscribe', 'unsubscribe', 'sunsubscribe'])

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
    const start = typeAt(frame, at) === '$' ? lineEnd(frame, at) : at + 1
    words.push(frame.subarray(start, end - LINE_END_LENGTH).toString('utf8'))
    at = end
  }
  return words
}

/** What the server sends unasked, or a subscription's change, by its first word; undefined for an ordinary reply. */
export function newsKind(frame: Buffer): string | undefined {
  const type = typeAt(frame, 0)
  const [kind = ''] = type === '>' || type === '*' ? wordsOf(frame) : []
  return type === '>' || NEWS.has(kind) ? kind : undefined
}

/** Where the message that starts at `at` ends; undefined while it is not all there. */
function endOf(buffer: Buffer, at: number): number | undefined {
  const body = lineEnd(buffer, at)
  if (body === undefined) return undefined
  const type = typeAt(buffer, at)
  if ('+-:_#,('.includes(type)) return body
  const count = Number(buffer.toString('latin1', at + 1, body - LINE_END_LENGTH))
  if ('$=!'.includes(type)) {
    const end = count < 0 ? body : body + count + LINE_END_LENGTH
    return end <= buffer.length ? end : undefined
  }
  if (!'*~>%'.includes(type)) throw new Error(`no RESP message starts with ${JSON.stringify(type)}`)
  let end: number | undefined = body
  for (let left = type === '%' ? 2 * count : count; left > 0 && end !== undefined; left -= 1)
    end = endOf(buffer, end)
  return end
}

function typeAt(buffer: Buffer, at: number): string {
  return String.fromCharCode(buffer[at] ?? 0)
}

/** Where the line that starts at `at` ends, its CR LF included. */
function lineEnd(buffer: Buffer, at: number): number | undefined {
  const end = buffer.indexOf('\r', at)
  return end < 0 || end + LINE_END_LENGTH > buffer.length ? undefined : end + LINE_END_LENGTH
}
