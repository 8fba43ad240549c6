/**
 * The kill matrix: runs projects of tests against each broken version of the library, and notes in kills.json the first that notices.
 * Arguments name mutants (all by default); `--projects virtual,redis` names projects, what follows `--` goes to vitest, such as
 * `-- test/etcd/ -t S7` for some tests: what these find is printed, not noted. The tables of docs/testing.md are drawn anew from all that
 * is known.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { projects } from '../projects.js'
import { faults } from './catalogue.js'
import { run } from './run.js'
import { drawKills } from './tables.js'

const words = process.argv.slice(2)
const end = words.includes('--') ? words.indexOf('--') : words.length
const only = words.slice(end + 1)
const { values, positionals } = parseArgs({
  args: words.slice(0, end),
  options: { projects: { type: 'string' } },
  allowPositionals: true,
})
const blocking = projects.filter(({ tier, name }) => tier === 'blocking' && name !== 'programs')
const asked = values.projects?.split(',') ?? blocking.map(({ name }) => name)
const chosen = positionals.length > 0 ? faults.filter(({ name }) => positionals.includes(name)) : faults

let alive = 0
for (const [index, { name }] of chosen.entries()) {
  const told = await firstKill(name)
  console.log(`[${index + 1}/${chosen.length}] ${name}: ${told}`)
}
console.log(`${chosen.length - alive} passed, ${alive} failed`)
process.exitCode = alive > 0 ? 1 : 0

async function firstKill(name: string): Promise<string> {
  for (const project of asked) {
    const outcome = await run(name, project, only)
    if (outcome === 'hung') console.log(`${name}: ${project} did not end, which shows nothing`)
    else note(name, project, outcome === 'lived' ? undefined : outcome.killed)
    if (typeof outcome === 'object') return `killed by ${project}: ${outcome.killed}`
  }
  alive += 1
  return 'LIVES'
}

/** What this run found goes to what others have: a whole project knows best what it kills, unless an earlier one kills it too. */
function note(name: string, project: string, test: string | undefined): void {
  if (only.length > 0) return
  const place = (of: string): number => blocking.findIndex((each) => each.name === of)
  const file = new URL('kills.json', import.meta.url)
  const kills = JSON.parse(readFileSync(file, 'utf8'))
  const known = kills[name]?.project
  if (test === undefined && known === project) delete kills[name]
  if (test !== undefined && (known === undefined || place(project) <= place(known)))
    kills[name] = { project, test }
  writeFileSync(file, `${JSON.stringify(kills, undefined, 2)}\n`)
  drawKills(kills)
}
