import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { camel, luaScripts, shortLua } from '../../scripts/lua-scripts.js'
import { luaText } from '../../scripts/lua-text.js'
import type { Fault } from './fault.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const SCRIPTS = 'src/stores/redis/scripts/scripts.generated.ts'

/** The file of the checkout that differs, relative to its root. */
export function placeOf(fault: Fault): string {
  return 'source' in fault.in ? fault.in.source : SCRIPTS
}

/** The text of that file with the fault. The checkout stays as it is. */
export async function textWith(fault: Fault): Promise<string> {
  if ('scripts' in fault.in) return mutated(fault, fault.in.scripts)
  const path = placeOf(fault)
  return replaceOnce(await readFile(`${root}${path}`, 'utf8'), fault, path)
}

/** The module of the scripts, with some of them changed. A script is known to servers by its hash: that changes too. */
export function mutated(fault: Pick<Fault, 'name' | 'text' | 'becomes'>, scripts: readonly string[]): string {
  const left = new Set(scripts)
  const embedded = { name: fault.name, text: luaText(fault.text), becomes: luaText(fault.becomes) }
  const module = luaScripts.map(({ file, chunks }) => {
    const source = chunks.map(({ text }) => text).join('')
    const lua = left.delete(file) ? replaceOnce(source, embedded, file) : source
    const text = shortLua.prelude + shortLua.shorten(lua)
    const sha1 = createHash('sha1').update(text).digest('hex')
    return `export const ${camel(file)} = ${JSON.stringify({ name: file, sha1, parts: [text] })}\n`
  })
  if (left.size > 0) throw new Error(`mutant ${fault.name}: there is no ${[...left].join(', ')}`)
  return module.join('')
}

function replaceOnce(
  text: string,
  { name, text: before, becomes }: Pick<Fault, 'name' | 'text' | 'becomes'>,
  where: string,
): string {
  const count = text.split(before).length - 1
  if (count !== 1) throw new Error(`mutant ${name}: its text occurs ${count} times in ${where}, not once`)
  return text.replace(before, () => becomes)
}
