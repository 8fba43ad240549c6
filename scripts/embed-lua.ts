/**
 * Writes the scripts of `lua/` into a module, so that an application bundled into one file still has them. A line
 * `--@include <noun>` stands for what is in `lua/parts/<noun>.lua`. The module has each part once, and a bundler can drop every script
 * that an application does not use.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { luaText } from './lua-text.js'

/** Some lines of a file, up to an include or its end. Those of parts are a constant of that name. */
interface Chunk {
  readonly constant: string | undefined
  readonly text: string
}

const folder = new URL('../lua/', import.meta.url)
const target = new URL('../src/redis/scripts/scripts.generated.ts', import.meta.url)

const constants = new Map<string, string>()
const scripts = readdirSync(folder)
  .filter((file) => file.endsWith('.lua'))
  .sort()
  .map((file) => {
    const chunks = chunksOf(file)
    for (const { constant, text } of chunks) if (constant !== undefined) constants.set(constant, text)
    const sha1 = createHash('sha1')
      .update(chunks.map(({ text }) => text).join(''))
      .digest('hex')
    const parts = chunks.map(({ constant, text }) => constant ?? JSON.stringify(text))
    return `export const ${camel(file)}: Script = {\n  name: '${file}',\n  sha1: '${sha1}',\n  parts: [${parts.join(', ')}],\n}\n`
  })

const header =
  "// Generated from lua/ by scripts/embed-lua.ts. Do not edit.\nimport type { Script } from './script.js'\n"
const parts = [...constants].map(([name, text]) => `const ${name} = ${JSON.stringify(text)}\n`)
// Put in place as a whole: somebody may be reading it.
const draft = new URL(`${target.href}.${process.pid}`)
writeFileSync(draft, `${header}\n${parts.join('')}\n${scripts.join('\n')}`)
renameSync(draft, target)

/** A script's text with its parts in it, each once. */
function chunksOf(file: string, included: Set<string> = new Set()): Chunk[] {
  const text = luaText(readFileSync(new URL(file, folder), 'utf8'))
  // At odd indexes: the nouns of the includes.
  return text.split(/^--@include (.+)\n/gm).flatMap((piece, index) => {
    if (index % 2 === 0) return piece === '' ? [] : [{ constant: constantOf(file, index / 2), text: piece }]
    const part = `parts/${piece}.lua`
    if (included.has(part)) return []
    included.add(part)
    return chunksOf(part, included)
  })
}

function constantOf(file: string, index: number): string | undefined {
  if (!file.startsWith('parts/')) return undefined
  return camel(`${file.slice('parts/'.length)}-part${index === 0 ? '' : index}`)
}

function camel(file: string): string {
  return file.replace('.lua', '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
