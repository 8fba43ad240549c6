/** Names of one or two letters for those of lua/, so that a bundle need not carry names that only readers of lua/ need. */

const KEYWORDS =
  'and break do else elseif end false for function if in local nil not or repeat return then true until while'.split(
    ' ',
  )
/** What scripts use most of what they are given; each gets a local name, in {@link ShortLua.prelude}. */
const GIVEN = ['redis.call', 'redis.pcall', 'string.format', 'string.match', 'tonumber']
const LIBRARIES = /^(?:redis|string|table|math|struct|cjson|bit)$/
const FIRST = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ']

/** The short names of all scripts: they share their parts, so a name is short in the same way in each of them. */
export class ShortLua {
  /** Comes before every script. */
  readonly prelude: string
  readonly #short = new Map<string, string>()

  /** @param texts all scripts and parts, as luaText() leaves them */
  constructor(texts: readonly string[]) {
    const all = texts.map(tokensOf)
    const own = new Set(all.flatMap(declaredIn))
    const uses = new Map<string, number>()
    for (const name of all.flat().filter((token) => own.has(token) || GIVEN.includes(token)))
      uses.set(name, (uses.get(name) ?? 0) + 1)
    const free = shortNames()
    for (const [name] of [...uses].sort(([, a], [, b]) => b - a)) {
      const { value = name } = free.next()
      this.#short.set(name, value)
    }
    this.prelude = `local ${GIVEN.map((name) => this.#short.get(name)).join(',')}=${GIVEN.join(',')}\n`
  }

  /** With short names, and with nothing between two signs that can stand without. Ends like a line. */
  shorten(text: string): string {
    let short = ''
    for (const line of text.split('\n')) {
      let gap = '\n'
      for (const token of tokensOf(line)) {
        const next = this.#short.get(token) ?? token
        // A minus sign after another would begin a comment, and a dot after a digit would belong to the number.
        const apart = /\w\w|--|\d\./.test(short.slice(-1) + next.slice(0, 1))
        short += apart ? gap + next : next
        gap = ' '
      }
    }
    return `${short}\n`
  }
}

/** Texts, numbers, names (of libraries with what is taken of them) and signs. */
function tokensOf(text: string): string[] {
  const tokens = text.match(/'[^'\n]*'|"[^"\n]*"|\d+(?:\.\d+)?|[A-Za-z_]\w*|\.\.+|[=~<>]=|\S/g) ?? []
  const joined: string[] = []
  for (let at = 0; at < tokens.length; at += 1) {
    const [token = '', dot, name = ''] = tokens.slice(at, at + 3)
    const member = dot === '.' && LIBRARIES.test(token)
    joined.push(member ? `${token}.${name}` : token)
    if (member) at += 2
  }
  return joined
}

/** The names of variables, functions and fields that these tokens declare. */
function declaredIn(tokens: readonly string[]): string[] {
  const isName = (token = ''): boolean =>
    /^[A-Za-z_]\w*$/.test(token) && !KEYWORDS.includes(token) && token !== '_'
  return tokens.filter((token, at) => isName(token) && declares(tokens, at))
}

function declares(tokens: readonly string[], at: number): boolean {
  // Back over `a, b, ` to what begins the list.
  let first = at
  while (tokens[first - 1] === ',') first -= 2
  const before = tokens[first - 1] ?? ''
  if (['local', 'for', 'function'].includes(before)) return true
  const beforeThat = tokens.slice(Math.max(0, first - 3), first - 1)
  if (before === '(' && beforeThat.includes('function')) return true
  return tokens[at + 1] === '=' && ['{', ','].includes(tokens[at - 1] ?? '')
}

function* shortNames(): Generator<string, void> {
  yield* FIRST
  for (const first of FIRST)
    for (const second of FIRST) if (!KEYWORDS.includes(first + second)) yield first + second
}
