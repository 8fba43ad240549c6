/**
 * Writes the scripts of `lua/` into a module, so that an application bundled into one file still has them. The module has each part
 * once, and a bundler can drop every script that an application does not use.
 */
import { createHash } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { camel, luaScripts, shortLua } from './lua-scripts.js'

const target = new URL('../src/stores/redis/scripts/scripts.generated.ts', import.meta.url)

const constants = new Map([['prelude', shortLua.prelude]])
const scripts = luaScripts.map(({ file, chunks }) => {
  const pieces = chunks.map(({ part, text }) => ({ part, text: shortLua.shorten(text) }))
  for (const { part, text } of pieces) if (part !== undefined) constants.set(part, text)
  const sha1 = createHash('sha1')
    .update(shortLua.prelude + pieces.map(({ text }) => text).join(''))
    .digest('hex')
  const parts = ['prelude', ...pieces.map(({ part, text }) => part ?? JSON.stringify(text))]
  return `export const ${camel(file)}: Script = {\n  name: '${file}',\n  sha1: '${sha1}',\n  parts: [${parts.join(', ')}],\n}\n`
})

const header =
  "// Generated from lua/ by scripts/embed-lua.ts. Do not edit.\nimport type { Script } from './script.js'\n"
const parts = [...constants].map(([name, text]) => `const ${name} = ${JSON.stringify(text)}\n`)
// Put in place as a whole: somebody may be reading it.
const draft = new URL(`${target.href}.${process.pid}`)
writeFileSync(draft, `${header}\n${parts.join('')}\n${scripts.join('\n')}`)
renameSync(draft, target)
