import { createHash } from 'node:crypto'
import { matchesGlob } from '../rows/glob.js'
import { aText, jsonIn } from '../rows/parts.js'
import { type SqlValue, type Statement, text } from './connection.js'
import type { Connections } from './connections.js'
import { question } from './question.js'

const HASHED = 'holdfast-sha256:'

/** The beginning of hashed names, as a pattern for LIKE. */
export const HASHED_LIKE = `${HASHED}%`

/** A lock's name as its row has it, and in JSON where that is only a hash of it: the name itself does not fit. */
export function storedAs(name: string, fits: boolean): { name: string; fullName: string | null } {
  if (fits && !name.startsWith(HASHED)) return { name, fullName: null }
  return {
    name: HASHED + createHash('sha256').update(name).digest('hex'),
    fullName: JSON.stringify(name),
  }
}

/**
 * A pattern for LIKE that every text matches that the glob matches, and perhaps others: it takes any text for a set and all behind it.
 * @param mark what escapes
 * @param one what stands for one character
 */
export function likePattern(glob: string, mark: '\\' | '|', one: '_' | '%'): string {
  const literal = (character: string): string => {
    // PostgreSQL takes none, and keeps a name with a NUL as a hash: this only has to be a pattern.
    if (character === '\0') return '_'
    return ['%', '_', mark].includes(character) ? mark + character : character
  }
  return glob.replace(/\\([\s\S])|\[[\s\S]*$|[\s\S]/gu, (found: string, plain: string | undefined) => {
    if (plain !== undefined) return literal(plain)
    if (found === '*' || found.startsWith('[')) return '%'
    return found === '?' ? one : literal(found)
  })
}

/** How to read names page by page. */
export interface NamePages {
  readonly statement: Statement
  /** For the rows behind that key whose name may match, or is a hash. */
  values(hashed: boolean, after: string): SqlValue[]
  /** The column that sorts the rows. */
  readonly key: string
  /** The name that such a key is. */
  nameOf(key: string): string
}

/** The names that match a glob, in order, hashed ones last. */
export async function* namesLike(
  connections: Connections,
  glob: string,
  { statement, values, key, nameOf }: NamePages,
): AsyncGenerator<string> {
  for (const hashed of [false, true]) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const asked = question(statement, values(hashed, after), 'names')
      const rows = await connections.read(asked, (found) =>
        found.map((row) => {
          const full = text(row, 'full_name')
          const fullName = full === undefined ? undefined : jsonIn(full, 'full_name', aText)
          return { key: aText(row[key], key), fullName }
        }),
      )
      after = rows.at(-1)?.key
      for (const { key: stored, fullName } of rows) {
        const name = fullName ?? nameOf(stored)
        if (hashed === (fullName !== undefined) && matchesGlob(glob, name)) yield name
      }
    }
  }
}
