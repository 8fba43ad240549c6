import { likePattern, storedAs } from '../sql/names.js'

/** An index entry has room for 2 704 bytes. */
const LONGEST_BYTES = 1_000

/** A lock's name as its row has it: too long a one as a hash, and one with a NUL, which PostgreSQL does not keep. */
export function storedName(name: string) {
  return storedAs(name, Buffer.byteLength(name) <= LONGEST_BYTES && !name.includes('\0'))
}

export function likeOf(glob: string): string {
  return likePattern(glob, '\\', '_')
}
