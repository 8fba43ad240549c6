/** Whether a text matches a glob as Redis understands it: `*`, `?`, `[a-z]`, `[^a]`, and `\` before what is to be taken as is. */
export function matchesGlob(glob: string, text: string): boolean {
  return new RegExp(`^${toRegExp(glob)}$`, 'su').test(text)
}

function toRegExp(glob: string): string {
  return glob.replace(/\\(.)|\[(\^?)((?:\\.|[^\]])+)\]|[*?]|[^*?]/gsu, (part, literal, negated, set) => {
    if (part === '*') return '.*'
    if (part === '?') return '.'
    if (set !== undefined) return `[${negated}${String(set).replace(/[[&~]/g, '\\$&')}]`
    return escapeLiteral(String(literal ?? part))
  })
}

function escapeLiteral(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/gu, '\\$&')
}
