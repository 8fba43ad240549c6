/** `npm run bench`: measures Holdfast beside its peers, prints the gates, writes docs/benchmarks.md. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { Command, InvalidArgumentError } from 'commander'
import { catalog } from './catalog.js'
import { gatesOf } from './gates.js'
import { withAddition } from './measure/addition.js'
import { expectedMs, planned } from './measure/plan.js'
import type { Results } from './measure/results.js'
import { runAll } from './measure/run.js'
import { quickened } from './quick.js'
import { chartsOf } from './report/charts.js'
import { cellLine, estimateLine, gatesTable } from './report/console.js'
import { documentOf } from './report/document.js'
import type { Scenario } from './scenario.js'
import { BLOCKED_MAIN_THREAD, HELD_LOCKS, scenarios } from './scenarios.js'
import { faultsOf } from './smoke.js'

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
const resultsFile = new URL('benchmarks/results.json', docs)
const names = [...scenarios.map(({ name }) => name), HELD_LOCKS, BLOCKED_MAIN_THREAD]

const program = new Command('npm run bench --')
  .description('Measures Holdfast beside other libraries of locks, and writes docs/benchmarks.md.')
  .option('--rounds <number>', 'how often each cell is run; figures are medians', positive, DEFAULT_ROUNDS)
  .option(
    '--only <scenario...>',
    'only the scenarios that are named so or begin so; the rest of the page stays',
    (name, before: string[] = []) => [...before, known(name)],
  )
  .option('--libraries <library...>', 'only these libraries', (name, before: string[] = []) => [
    ...before,
    library(name),
  ])
  .option('--quick', 'one short round, to see that everything works: fails if not', false)
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
  const partial = only !== undefined && libraries === undefined && !quick
  if (write) await writeDown(partial ? await addedToPage(results) : results)
  const gates = gatesOf(results)
  console.log(gatesTable(only === undefined ? gates : gates.filter(({ ok }) => ok !== undefined)))
  if (quick) report(faultsOf(results.cells))
}

/** What the page is to be made from when only some of the scenarios were run. */
async function addedToPage(later: Results): Promise<Results> {
  const text = await readFile(resultsFile, 'utf8').catch(() => undefined)
  if (text === undefined) return later
  const before: Results = JSON.parse(text)
  return before.quick ? later : withAddition(before, later)
}

function report(faults: readonly string[]): void {
  for (const fault of faults) console.error(`did not work: ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}

async function writeDown(results: Results): Promise<void> {
  const folder = new URL('benchmarks/', docs)
  await mkdir(folder, { recursive: true })
  const charts = chartsOf(results)
  await Promise.all(charts.map(({ name, svg }) => writeFile(new URL(`${name}.svg`, folder), svg)))
  await writeFile(resultsFile, `${JSON.stringify(results, undefined, 1)}\n`)
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
