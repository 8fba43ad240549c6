/** The lines of JSON that a text consists of, as objects. */
export function jsonLines(text: string): Array<Record<string, unknown>> {
  return (text.match(/.+/g) ?? []).map((line) => JSON.parse(line))
}
