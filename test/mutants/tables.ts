import { readFileSync, writeFileSync } from 'node:fs'
import { projects } from '../projects.js'
import { faults } from './catalogue.js'
import { placeOf } from './mutate.js'

export type Kills = Readonly<Record<string, { readonly project: string; readonly test: string }>>

const page = new URL('../../docs/testing.md', import.meta.url)

/** Draws the kill matrix: a line per folder of the library, a column per project that kills first. */
export function drawKills(kills: Kills): void {
  const killers = new Set(Object.values(kills).map(({ project }) => project))
  const columns = projects.map(({ name }) => name).filter((name) => killers.has(name))
  const folders = [...new Set(faults.map(folderOf))].sort()
  const inFolder = (folder: string) => faults.filter((fault) => folderOf(fault) === folder)
  const line = (title: string, of: typeof faults): string => {
    const by = (project: string): number => of.filter(({ name }) => kills[name]?.project === project).length
    const alive = of.filter(({ name }) => !kills[name]).length
    return `| ${[title, of.length, ...columns.map(by), alive].map((cell) => cell || '').join(' | ')} |`
  }
  draw('kills', [
    `| mutants in | number | ${columns.map((name) => `\`${name}\``).join(' | ')} | not killed |`,
    `|---|${'---|'.repeat(columns.length + 2)}`,
    ...folders.map((folder) => line(`\`${folder}\``, inFolder(folder))),
    line('all', faults),
  ])
}

function folderOf(fault: (typeof faults)[number]): string {
  if ('scripts' in fault.in) return 'lua'
  const [, room = '', part = ''] = placeOf(fault).split('/')
  return room === 'stores' ? part : room
}

export function draw(name: string, lines: readonly string[]): void {
  const text = readFileSync(page, 'utf8')
  const block = new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`)
  const drawn = `<!-- ${name} -->\n${lines.join('\n')}\n<!-- /${name} -->`
  const redrawn = text.replace(block, () => drawn)
  writeFileSync(page, redrawn)
}
