/** The answer to one command: `HD`, `VA`, `EN`, `NF`, `NS`, `EX` and so on, or a line that tells of an error. */
export interface Reply {
  readonly status: string
  /** What follows the status. */
  readonly words: readonly string[]
  /** What `VA` brings. */
  readonly value?: string | undefined
}

/** What a flag of a reply says: `c12` says 12 of `c`. */
export function flagOf({ words }: Reply, flag: string): string | undefined {
  return words.find((word) => word.startsWith(flag))?.slice(flag.length)
}

/** A line of a reply is shorter, and a value that Holdfast asks for. */
const LONGEST_LINE = 8_192
const LONGEST_VALUE = 2 ** 20

const CR = 13
const LF = 10

/** What came is no reply of memcached's. */
export class UnreadableReply extends Error {
  override readonly name = 'UnreadableReply'
}

/** Reads replies from chunks of any size. */
export class ReplyReader {
  #unread: Buffer = Buffer.alloc(0)

  /** The replies that these bytes complete. Throws an {@link UnreadableReply}, after which it reads no more. */
  read(bytes: Buffer): Reply[] {
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes])
    const replies: Reply[] = []
    for (let reply = this.#next(); reply; reply = this.#next()) replies.push(reply)
    return replies
  }

  #next(): Reply | undefined {
    const bytes = this.#unread
    const end = bytes.indexOf(LF)
    if (end < 0 && bytes.length <= LONGEST_LINE) return undefined
    if (end < 1 || end > LONGEST_LINE || bytes[end - 1] !== CR)
      throw new UnreadableReply('the server sent a line that is none of memcached’s')
    const [status = '', ...words] = bytes.toString('latin1', 0, end - 1).split(' ')
    if (status !== 'VA') {
      this.#unread = bytes.subarray(end + 1)
      return { status, words }
    }
    const [size = '', ...flags] = words
    const length = /^\d{1,7}$/.test(size) ? Number(size) : Infinity
    if (length > LONGEST_VALUE) throw new UnreadableReply('the server sent a value of impossible length')
    const from = end + 1
    const to = from + length
    if (bytes.length < to + 2) return undefined
    if (bytes[to] !== CR || bytes[to + 1] !== LF)
      throw new UnreadableReply('the server sent a value that does not end where it should')
    this.#unread = bytes.subarray(to + 2)
    return { status, words: flags, value: bytes.toString('utf8', from, to) }
  }
}
