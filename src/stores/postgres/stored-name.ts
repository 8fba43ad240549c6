import { createHash } from 'node:crypto'

/** An index entry has room for 2 704 bytes. */
const LONGEST_BYTES = 1_000

const HASHED = 'holdfast-sha256:'

/** A lock's name as its row has it. */
export interface StoredName {
  readonly name: string
  /** The name in JSON, where `name` is a hash of it: it is too long for an index, or has a character that PostgreSQL does not keep (NUL). */
  readonly fullName: string | null
}

export function storedName(name: string): StoredName {
  const fits = Buffer.byteLength(name) <= LONGEST_BYTES && !name.includes('\0') && !name.startsWith(HASHED)
  if (fits) return { name, fullName: null }
  return {
    name: HASHED + createHash('sha256').update(name).digest('hex'),
    fullName: JSON.stringify(name),
  }
}

/** The beginning of hashed names, as a pattern for LIKE. */
export const HASHED_LIKE = `${HASHED}%`

/** A pattern for LIKE that every text matches that the glob matches, and perhaps others: it takes any text for a set and all behind it. */
export function likeOf(glob: string): string {
  return glob.replace(/\\([\s\S])|\[[\s\S]*$|[\s\S]/gu, (found: string, plain: string | undefined) => {
    if (plain !== undefined) return literal(plain)
    if (found === '*' || found.startsWith('[')) return '%'
    return found === '?' ? '_' : literal(found)
  })
}

function literal(character: string): string {
  // The table keeps a name with a NUL as a hash: this only has to be a pattern.
  if (character === '\0') return '_'
  return /[%_\\]/.test(character) ? `\\${character}` : character
}
