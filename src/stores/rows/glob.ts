/** Whether a text matches a glob as Redis understands it: `*`, `?`, `[a-z]`, `[^a]`, and a backslash that escapes the next character. */
export function matchesGlob(glob: string, text: string): boolean {
  const parts = [...glob]
  const characters = [...text]
  let part = 0
  let place = 0
  /** Behind the last star, and where the text went on behind it. Only that star may take more: with the others the time would have no bound. */
  let star: { readonly part: number; place: number } | undefined
  for (;;) {
    if (parts[part] === '*') {
      part += 1
      star = { part, place }
      continue
    }
    const character = characters[place]
    if (character === undefined) return part === parts.length
    const next = partAfter(parts, part, character)
    if (next !== undefined) {
      part = next
      place += 1
    } else if (star) {
      star.place += 1
      part = star.part
      place = star.place
    } else {
      return false
    }
  }
}

/** Where the glob goes on if the part there takes the character. */
function partAfter(glob: readonly string[], at: number, character: string): number | undefined {
  const part = glob[at]
  if (part === '?') return at + 1
  if (part === '[') {
    const set = readSet(glob, at + 1)
    return set.has(character) === set.negated ? undefined : set.end + 1
  }
  const taken = part === '\\' && at + 1 < glob.length ? at + 1 : at
  return glob[taken] === character ? taken + 1 : undefined
}

interface CharacterSet {
  readonly negated: boolean
  /** Where its closing bracket stands, or the glob's last character if it has none. */
  readonly end: number
  has(character: string): boolean
}

function readSet(glob: readonly string[], start: number): CharacterSet {
  const negated = glob[start] === '^'
  const ranges: Array<readonly [string, string]> = []
  let index = negated ? start + 1 : start
  for (; index < glob.length && glob[index] !== ']'; index += 1) {
    if (glob[index] === '\\' && index + 1 < glob.length) index += 1
    const first = glob[index] ?? ''
    const last = glob[index + 2]
    if (glob[index + 1] === '-' && last !== undefined) {
      ranges.push(first <= last ? [first, last] : [last, first])
      index += 2
    } else {
      ranges.push([first, first])
    }
  }
  const has = (character: string): boolean =>
    ranges.some(([first, last]) => first <= character && character <= last)
  return { negated, end: Math.min(index, glob.length - 1), has }
}
