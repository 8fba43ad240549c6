/** `npm run bench`: measures Holdfast beside its peers, prints the gates, writes docs/benchmarks.md. */
import { mkdir, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { Command, InvalidArgumentError } from 'commander'
import { catalog } from './catalog.js'
import { gatesOf } from './gates.js'
import { expectedMs, planned } from './measure/plan.js'
import type { Results } from './measure/results.js'
import { runAll } from './measure/run.js'
import { quickened } from './quick.js'
import { chartsOf } from './report/charts.js'
import { cellLine, estimateLine, gatesTable } from './report/console.js'
import { documentOf } from './report/document.js'
import type { Scenario } from './scenario.js'
import { BLOCKED_MAIN_THREAD, HELD_LOCKS, scenarios } from './scenarios.js'

interface Options {
  readonly rounds: number
  readonly only?: string[]
  readonly libraries?: string[]
  readonly quick: boolean
  readonly write: boolean
}

const DEFAULT_ROUNDS = 3
/** What the two programs take that are no cells. */
const PROGRAM_MS = { [HELD_LOCKS]: 55_000, [BLOCKED_MAIN_THREAD]: 12_000 }

const docs = new URL('../docs/', import.meta.url)
const names = [...scenarios.map(({ name }) => name), HELD_LOCKS, BLOCKED_MAIN_THREAD]

const program = new Command('npm run bench --')
  .description('Measures Holdfast beside other libraries of locks, and writes docs/benchmarks.md.')
  .option('--rounds <number>', 'how often each cell is run; figures are medians', positive, DEFAULT_ROUNDS)
  .option(
    '--only <scenario...>',
    'only the scenarios that are named so or begin so',
    (name, before: string[] = []) => [...before, known(name)],
  )
  .option('--libraries <library...>', 'only these libraries', (name, before: string[] = []) => [
    ...before,
    library(name),
  ])
  .option('--quick', 'one short round, to see that everything works', false)
  .option('--no-write', 'leave docs/ as it is')
  .addHelpText(
    'after',
    `\nscenarios: ${names.join(', ')}\nlibraries: ${catalog.map(({ name }) => name).join(', ')}`,
  )

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
await bench(program.parse().opts<Options>())

async function bench({ rounds: wanted, only, libraries, quick, write }: Options): Promise<void> {
  const rounds = quick ? 1 : wanted
  const chosen = (name: string): boolean =>
    only === undefined ||
    only.some((asked) => (names.includes(asked) ? name === asked : name.startsWith(asked)))
  const line: readonly Scenario[] = scenarios.filter(({ name }) => chosen(name))
  const cells = planned(quick ? quickened(line) : line, rounds, libraries)
  const ours = libraries === undefined || libraries.includes('holdfast')
  const heldLocks = ours && chosen(HELD_LOCKS)
  const blocked = ours && chosen(BLOCKED_MAIN_THREAD)
  const programsMs =
    (heldLocks ? PROGRAM_MS[HELD_LOCKS] : 0) + (blocked ? PROGRAM_MS[BLOCKED_MAIN_THREAD] : 0)
  console.log(
    estimateLine(
      cells,
      cells.reduce((sum, cell) => sum + expectedMs(cell), programsMs),
    ),
  )
  const results = await runAll({
    cells,
    rounds,
    quick,
    heldLocks,
    blocked,
    onCell: (cell, done) => console.log(cellLine(cell, done, cells.length)),
  })
  if (write) await writeDown(results)
  console.log(gatesTable(gatesOf(results)))
}

async function writeDown(results: Results): Promise<void> {
  const folder = new URL('benchmarks/', docs)
  await mkdir(folder, { recursive: true })
  const charts = chartsOf(results)
  await Promise.all(charts.map(({ name, svg }) => writeFile(new URL(`${name}.svg`, folder), svg)))
  await writeFile(new URL('results.json', folder), `${JSON.stringify(results, undefined, 1)}\n`)
  await writeFile(new URL('benchmarks.md', docs), documentOf(results, charts))
}

function positive(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number > 0) return number
  throw new InvalidArgumentError('a whole number from 1 on is accepted')
}

function known(name: string): string {
  if (names.some((candidate) => candidate.startsWith(name))) return name
  throw new InvalidArgumentError(`there are: ${names.join(', ')}`)
}

function library(name: string): string {
  if (catalog.some((entry) => entry.name === name)) return name
  throw new InvalidArgumentError(`there are: ${catalog.map((entry) => entry.name).join(', ')}`)
}
