import { likePattern, storedAs } from '../sql/names.js'

/** As many as the column has. */
const LONGEST_BYTES = 512

/** A lock's name as its row has it. */
export function storedName(name: string): { readonly name: Buffer; readonly fullName: string | null } {
  const stored = storedAs(name, Buffer.byteLength(name) <= LONGEST_BYTES)
  return { name: Buffer.from(stored.name), fullName: stored.fullName && asciiJson(stored.fullName) }
}

/** Escaped with `|`. `_` stands for a byte there, so the pattern takes any text for a `?` too. */
export function likeOf(glob: string): Buffer {
  return Buffer.from(likePattern(glob, '|', '%'))
}

/** JSON in ASCII alone, so that the character set of a connection does not matter. */
export function asciiJson(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
