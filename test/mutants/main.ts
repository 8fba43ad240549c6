/**
 * The kill matrix: runs projects of tests against each broken version of the library, and notes which notices. Arguments name mutants
 * (all by default); `--projects virtual,redis` names projects; `--full` goes on after the first that kills. The table of docs/testing.md
 * is written anew where all ran.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { projects } from '../projects.js'
import { faults } from './catalogue.js'
import type { Fault } from './fault.js'

/** The first test that failed; undefined where none did. */
type Kill = string | undefined

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = `${root}docs/testing.md`
const { values, positionals } = parseArgs({
  options: { projects: { type: 'string' }, full: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const blocking = projects.filter(({ tier, name }) => tier === 'blocking' && name !== 'programs')
const asked = values.projects?.split(',') ?? blocking.map(({ name }) => name)
const chosen = positionals.length > 0 ? faults.filter(({ name }) => positionals.includes(name)) : faults

mkdirSync(`${root}temp`, { recursive: true })
const rows: Array<readonly [Fault, ReadonlyMap<string, Kill>]> = []
for (const [index, fault] of chosen.entries()) {
  const kills = new Map<string, Kill>()
  for (const project of asked) {
    const kill = await run(fault, project)
    kills.set(project, kill)
    if (kill !== undefined && !values.full) break
  }
  rows.push([fault, kills])
  const [by, test] = [...kills].find(([, kill]) => kill !== undefined) ?? []
  console.log(`[${index + 1}/${chosen.length}] ${fault.name}: ${by ? `killed by ${by}: ${test}` : 'LIVES'}`)
}
const alive = rows.filter(([, kills]) => [...kills.values()].every((kill) => kill === undefined))
console.log(`${rows.length - alive.length} passed, ${alive.length} failed`)
if (chosen === faults && values.projects === undefined) await write()
process.exitCode = alive.length > 0 ? 1 : 0

async function run({ name }: Fault, project: string): Promise<Kill> {
  const report = `${root}temp/kill-${process.pid}.json`
  await rm(report, { force: true })
  const args = ['vitest', 'run', '--project', project, '--bail=1', '--testTimeout=20000', '--reporter=json']
  const child = spawn('npx', [...args, `--outputFile=${report}`], {
    cwd: root,
    env: { ...process.env, HOLDFAST_MUTANT: name },
    stdio: 'ignore',
  })
  const [code] = await once(child, 'close')
  if (code === 0) return undefined
  const text = await readFile(report, 'utf8').catch(() => '{}')
  await rm(report, { force: true })
  return firstFailure(JSON.parse(text)) ?? 'the run itself'
}

function firstFailure(report: {
  testResults?: Array<{ assertionResults: Array<{ status: string; fullName: string }> }>
}): Kill {
  const tests = report.testResults?.flatMap(({ assertionResults }) => assertionResults) ?? []
  return tests.find(({ status }) => status === 'failed')?.fullName
}

async function write(): Promise<void> {
  const head = `| mutant | what it does wrong | ${asked.join(' | ')} |\n|---|---|${asked.map(() => '---|').join('')}`
  const lines = rows.map(([{ name, fault }, kills]) => {
    const cells = asked.map((project) => (kills.has(project) ? (kills.get(project) ? '×' : '·') : ''))
    return `| ${name} | ${fault} | ${cells.join(' | ')} |`
  })
  const text = await readFile(page, 'utf8')
  const table = `<!-- kills -->\n${head}\n${lines.join('\n')}\n<!-- /kills -->`
  await writeFile(
    page,
    text.replace(/<!-- kills -->[\s\S]*<!-- \/kills -->/, () => table),
  )
}
