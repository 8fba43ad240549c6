/** Whether a text matches a glob as Redis understands it: `*`, `?`, `[a-z]`, `[^a]`, and a backslash before what is to be taken as is. */
export function matchesGlob(glob: string, text: string): boolean {
  return matches([...glob], 0, [...text], 0)
}

function matches(glob: readonly string[], from: number, text: readonly string[], at: number): boolean {
  let place = at
  for (let index = from; index < glob.length; index += 1) {
    const part = glob[index]
    if (part === '*') {
      if (index + 1 === glob.length) return true
      for (let rest = place; rest <= text.length; rest += 1) {
        if (matches(glob, index + 1, text, rest)) return true
      }
      return false
    }
    const character = text[place]
    if (character === undefined) return false
    if (part === '[') {
      const set = readSet(glob, index + 1)
      if (set.has(character) === set.negated) return false
      index = set.end
    } else if (part !== '?') {
      if (part === '\\' && index + 1 < glob.length) index += 1
      if (glob[index] !== character) return false
    }
    place += 1
  }
  return place === text.length
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
