/** One broken version of the library. */
export interface Fault {
  readonly name: string
  readonly fault: string
  /** Scripts by their names, or one source file: the text occurs in each exactly once. */
  readonly in: { readonly scripts: readonly string[] } | { readonly source: string }
  readonly text: string
  readonly becomes: string
}

/**
 * Behind the names of scripts, or of a source file: each fault's name, what it does wrong, and the lines that it takes away (-) and puts
 * in their place (+).
 */
export function faultsIn(text: string): Fault[] {
  let place: Fault['in'] = { scripts: [] }
  return text
    .trim()
    .split(/\n(?![-+] )/)
    .flatMap((block) => {
      const [title = '', ...lines] = block.split('\n')
      if (lines.length === 0) {
        place = title.endsWith('.lua') ? { scripts: title.split(' ') } : { source: title }
        return []
      }
      const [name = '', fault = ''] = title.split(/: (.*)/)
      const marked = (mark: string): string =>
        lines.flatMap((line) => (line.startsWith(mark) ? [line.slice(2)] : [])).join('\n')
      return [{ name, fault, in: place, text: marked('-'), becomes: marked('+') }]
    })
}
