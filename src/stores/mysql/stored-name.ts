import { createHash } from 'node:crypto'
import { asciiJson } from './ascii-json.js'

/** As many as the column has. */
const LONGEST_BYTES = 512

const HASHED = 'holdfast-sha256:'

/** A lock's name as its row has it. */
export interface StoredName {
  readonly name: Buffer
  /** The name in JSON, where `name` is a hash of it because it is too long. */
  readonly fullName: string | null
}

export function storedName(name: string): StoredName {
  const bytes = Buffer.from(name)
  if (bytes.length <= LONGEST_BYTES && !name.startsWith(HASHED)) return { name: bytes, fullName: null }
  return {
    name: Buffer.from(HASHED + createHash('sha256').update(bytes).digest('hex')),
    fullName: asciiJson(JSON.stringify(name)),
  }
}

/** The beginning of hashed names, as a pattern for LIKE. */
export const HASHED_LIKE = Buffer.from(`${HASHED}%`)

/**
 * A pattern for LIKE, escaped with `|`, that every name matches that the glob matches, and perhaps others: `_` stands for a byte there, so
 * it takes any text for a `?` too, and for a set and all behind it.
 */
export function likeOf(glob: string): Buffer {
  const like = glob.replace(/\\([\s\S])|\[[\s\S]*$|[\s\S]/gu, (found: string, plain: string | undefined) => {
    if (plain !== undefined) return literal(plain)
    return found === '*' || found === '?' || found.startsWith('[') ? '%' : literal(found)
  })
  return Buffer.from(like)
}

function literal(character: string): string {
  return /[%_|]/.test(character) ? `|${character}` : character
}
