import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import { luaText } from '../../../scripts/lua-text.js'
import * as library from '../../../src/redis/scripts/scripts.generated.js'
import type { Mutant } from './mutant.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const SCRIPTS = 'src/redis/scripts/scripts.generated.ts'

/** Has a bundle read the mutant's text in place of the library's. The checkout stays as it is. */
export function mutation(mutant: Mutant): Plugin {
  const path = 'source' in mutant.in ? mutant.in.source : SCRIPTS
  const pattern = new RegExp(`${path.replaceAll(/[.]/g, '\\.')}$`)
  return {
    name: mutant.name,
    setup({ onLoad, onEnd }) {
      let loaded = false
      onLoad({ filter: pattern }, async () => {
        loaded = true
        const contents =
          'source' in mutant.in
            ? replaceOnce(await readFile(`${root}${path}`, 'utf8'), mutant, path)
            : mutated(mutant, mutant.in.scripts)
        return { contents, loader: 'ts', resolveDir: `${root}${path.slice(0, path.lastIndexOf('/'))}` }
      })
      onEnd(() => {
        if (!loaded) throw new Error(`mutant ${mutant.name}: ${path} is no part of the library`)
      })
    },
  }
}

/** The module of the scripts, with some of them changed. A script is known to servers by its hash: that changes too. */
export function mutated(
  mutant: Pick<Mutant, 'name' | 'text' | 'becomes'>,
  scripts: readonly string[],
): string {
  const left = new Set(scripts)
  const embedded = { name: mutant.name, text: luaText(mutant.text), becomes: luaText(mutant.becomes) }
  const module = Object.entries(library).map(([exported, script]) => {
    const { name } = script
    const source = script.parts.join('')
    const lua = left.delete(name) ? replaceOnce(source, embedded, name) : source
    const sha1 = createHash('sha1').update(lua).digest('hex')
    return `export const ${exported} = ${JSON.stringify({ name, sha1, parts: [lua] })}\n`
  })
  if (left.size > 0) throw new Error(`mutant ${mutant.name}: there is no ${[...left].join(', ')}`)
  return module.join('')
}

function replaceOnce(
  text: string,
  { name, text: before, becomes }: Pick<Mutant, 'name' | 'text' | 'becomes'>,
  where: string,
): string {
  const count = text.split(before).length - 1
  if (count !== 1) throw new Error(`mutant ${name}: its text occurs ${count} times in ${where}, not once`)
  return text.replace(before, () => becomes)
}
