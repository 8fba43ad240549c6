import { matchesGlob } from '../rows/glob.js'
import { aText, jsonIn } from '../rows/parts.js'
import { type SqlRow, text } from './connection.js'

/** A name as its row has it. */
export interface NamedRow {
  /** The value of the column that sorts them. */
  readonly key: string
  readonly name: string
  /** The whole name, where the column has a hash of it. */
  readonly fullName: string | undefined
}

/** The whole name, which a row keeps as JSON where its key is a hash of it. */
export function fullNameIn(row: SqlRow): string | undefined {
  const json = text(row, 'full_name')
  return json === undefined ? undefined : jsonIn(json, 'full_name', aText)
}

/**
 * The names that match a glob, in order, hashed ones last.
 * @param page reads the rows behind that key whose column may match, or holds a hash
 */
export async function* namesLike(
  glob: string,
  page: (hashed: boolean, after: string) => Promise<readonly NamedRow[]>,
): AsyncGenerator<string> {
  for (const hashed of [false, true]) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows: readonly NamedRow[] = await page(hashed, after)
      after = rows.at(-1)?.key
      for (const { name: stored, fullName } of rows) {
        const name = fullName ?? stored
        if (hashed === (fullName !== undefined) && matchesGlob(glob, name)) yield name
      }
    }
  }
}
