/** The lines of JSON that a text consists of, as objects. */
export function jsonLines(text: string): Array<Record<string, unknown>> {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const value: unknown = JSON.parse(line)
      if (typeof value !== 'object' || value === null) throw new Error(`no object: ${line}`)
      return { ...value }
    })
}
