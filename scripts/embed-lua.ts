/**
 * Writes the scripts of `lua/` into a module, so that an application bundled into one file still has them. A line
 * `--@include <noun>` stands for what is in `lua/parts/<noun>.lua`.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

const folder = new URL('../lua/', import.meta.url)
const target = new URL('../src/redis/scripts/scripts.generated.ts', import.meta.url)

const scripts = readdirSync(folder)
  .filter((file) => file.endsWith('.lua'))
  .sort()
  .map((file) => {
    const source = sourceOf(file)
    const name = file.replace('.lua', '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    const sha1 = createHash('sha1').update(source).digest('hex')
    return `export const ${name}: Script = {\n  name: '${file}',\n  sha1: '${sha1}',\n  source: ${JSON.stringify(source)},\n}\n`
  })

const header =
  "// Generated from lua/ by scripts/embed-lua.ts. Do not edit.\nimport type { Script } from './script.js'\n"
// Put in place as a whole: somebody may be reading it.
const draft = new URL(`${target.href}.${process.pid}`)
writeFileSync(draft, `${header}\n${scripts.join('\n')}`)
renameSync(draft, target)

/**
 * A script's text with its parts in it, each once. Headers, comments and indentation are for readers of lua/: Redis need not store
 * them, nor every bundle carry them.
 */
function sourceOf(file: string, included: Set<string> = new Set()): string {
  const text = readFileSync(new URL(file, folder), 'utf8')
    .replace(/^[ \t]*--\[\[.*?\]\]\n/gms, '')
    .replace(/^[ \t]*--(?!@include ).*\n/gm, '')
    .replace(/^[ \t]+/gm, '')
    .replace(/^\n/gm, '')
  return text.replace(/^--@include (.+)\n/gm, (_, noun: string) => {
    const part = `parts/${noun}.lua`
    if (included.has(part)) return ''
    included.add(part)
    return sourceOf(part, included)
  })
}
