/** Fields as one text of letters, digits, `-` and `_`. */
export function textOf(fields: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

/** The fields of such a text; none if it is none. */
export function fieldsOf(text: string): unknown[] {
  try {
    const fields: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(fields) ? fields : []
  } catch {
    return []
  }
}
