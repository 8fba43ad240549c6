/**
 * Lua without what is for readers of lua/: comments, indentation, blanks, and long names of variables. One name has one short name in all
 * scripts, because they share parts. Lines stay lines: Redis tells the line of an error.
 */
import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../lua/', import.meta.url)
const TOKEN = /'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\d\w*|\n|\.+|[=~<>]=|[^\s]/g
const DECLARED = /\blocal (?!function)([\w, ]+)|\bfunction (\w*)\(([\w, ]*)|\bfor ([\w, ]+?) (?:in|=)/g
/** Redis and Lua name these fields. */
const GIVEN = /(?:redis|string|math|table|struct)\.(\w+)|\b(err|ok)\b/g
const KEYWORDS = ['do', 'if', 'in', 'or']

const names = shortNames()

/** A whole script, or a piece of one. */
export function shortLua(text: string): string {
  let short = ''
  for (const [token] of code(text).matchAll(TOKEN)) {
    const next = names.get(token) ?? token
    // Two words, `- -` and `1 ..` mean something else if they touch.
    const apart = /\w$/.test(short)
      ? /^\w/.test(next) || (/\b\d\w*$/.test(short) && next === '..')
      : short.endsWith('-') && next === '-'
    short += apart ? ` ${next}` : next
  }
  return short
}

function code(text: string): string {
  return text
    .replace(/^[ \t]*--\[\[.*?\]\]\n/gms, '')
    .replace(/^[ \t]*--.*\n/gm, '')
    .replace(/^\s+/gm, '')
}

/** The shortest for those that save the most. */
function shortNames(): Map<string, string> {
  const all = readdirSync(folder, { encoding: 'utf8', recursive: true })
    .filter((file) => file.endsWith('.lua'))
    .map((file) => code(readFileSync(new URL(file, folder), 'utf8')))
    .join('')
  const given = new Set([...all.matchAll(GIVEN)].flatMap(([, field, error]) => [field, error]))
  const declared = [...all.matchAll(DECLARED)].flatMap((groups) => groups.slice(1).join(' ').split(/[, ]+/))
  const counts = new Map<string, number>()
  for (const [word] of all.matchAll(/\w+/g)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const ours = [...new Set(declared)].filter((name) => name !== '' && !given.has(name))
  const others = new Set([...counts.keys(), ...KEYWORDS])
  const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const short = [...letters, ...letters.flatMap((first) => letters.map((second) => first + second))]
  const free = short.filter((name) => !others.has(name)).values()
  const uses = (name: string): number => counts.get(name) ?? 0
  return new Map(ours.sort((a, b) => uses(b) - uses(a)).map((name) => [name, free.next().value ?? name]))
}
