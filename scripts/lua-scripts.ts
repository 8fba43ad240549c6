/**
 * The scripts of lua/. A line `--@include <noun>` stands for what is in `lua/parts/<noun>.lua`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { ShortLua } from './lua-short.js'
import { luaText } from './lua-text.js'

/** Some lines of a file, up to an include or its end. Those of parts have a name, since scripts share them. */
export interface Chunk {
  readonly part: string | undefined
  readonly text: string
}

export interface LuaScript {
  readonly file: string
  /** With its parts in it, each once. */
  readonly chunks: readonly Chunk[]
}

const folder = new URL('../lua/', import.meta.url)

export const luaScripts: readonly LuaScript[] = readdirSync(folder)
  .filter((file) => file.endsWith('.lua'))
  .sort()
  .map((file) => ({ file, chunks: chunksOf(file) }))

export const shortLua = new ShortLua(luaScripts.flatMap(({ chunks }) => chunks.map(({ text }) => text)))

/** The name of its export. */
export function camel(file: string): string {
  return file.replace('.lua', '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function chunksOf(file: string, included: Set<string> = new Set()): Chunk[] {
  const text = luaText(readFileSync(new URL(file, folder), 'utf8'))
  // At odd indexes: the nouns of the includes.
  return text.split(/^--@include (.+)\n/gm).flatMap((piece, index) => {
    if (index % 2 === 0) return piece === '' ? [] : [{ part: partOf(file, index / 2), text: piece }]
    const part = `parts/${piece}.lua`
    if (included.has(part)) return []
    included.add(part)
    return chunksOf(part, included)
  })
}

function partOf(file: string, index: number): string | undefined {
  if (!file.startsWith('parts/')) return undefined
  return camel(`${file.slice('parts/'.length)}-part${index === 0 ? '' : index}`)
}
