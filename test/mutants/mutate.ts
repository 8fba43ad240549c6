import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { luaText } from '../../scripts/lua-text.js'
import type { Script } from '../../src/redis/scripts/script.js'
import type { Fault } from './fault.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const SCRIPTS = 'src/redis/scripts/scripts.generated.ts'

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
export async function mutated(
  fault: Pick<Fault, 'name' | 'text' | 'becomes'>,
  scripts: readonly string[],
): Promise<string> {
  const left = new Set(scripts)
  const embedded = { name: fault.name, text: luaText(fault.text), becomes: luaText(fault.becomes) }
  const module = Object.entries(await unbroken()).map(([exported, script]) => {
    const { name } = script
    const source = script.parts.join('')
    const lua = left.delete(name) ? replaceOnce(source, embedded, name) : source
    const sha1 = createHash('sha1').update(lua).digest('hex')
    return `export const ${exported} = ${JSON.stringify({ name, sha1, parts: [lua] })}\n`
  })
  if (left.size > 0) throw new Error(`mutant ${fault.name}: there is no ${[...left].join(', ')}`)
  return module.join('')
}

/** The scripts as they are on the disk: a run of a mutant has every import of them read the broken ones. */
async function unbroken(): Promise<Record<string, Script>> {
  const { code } = await transform(await readFile(`${root}${SCRIPTS}`, 'utf8'), { loader: 'ts' })
  return await import(`data:text/javascript,${encodeURIComponent(code)}`)
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
