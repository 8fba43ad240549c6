/** Writes the scripts of `lua/` into a module, so that an application bundled into one file still has them. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const folder = new URL('../lua/', import.meta.url)
const target = new URL('../src/redis/scripts.generated.ts', import.meta.url)

const scripts = readdirSync(folder)
  .filter((file) => file.endsWith('.lua'))
  .sort()
  .map((file) => {
    // The header is for readers of lua/; Redis need not store it.
    const source = readFileSync(new URL(file, folder), 'utf8').replace(/^--\[\[.*?\]\]\n/s, '')
    const name = file.replace('.lua', '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    const sha1 = createHash('sha1').update(source).digest('hex')
    return `export const ${name}: Script = {\n  name: '${file}',\n  sha1: '${sha1}',\n  source: ${JSON.stringify(source)},\n}\n`
  })

const header =
  "// Generated from lua/ by scripts/embed-lua.ts. Do not edit.\nimport type { Script } from './script.js'\n"
writeFileSync(target, `${header}\n${scripts.join('\n')}`)
