/** `npm run bench`: measures Holdfast beside its peers, prints the gates, writes docs/benchmarks.md or docs/benchmarks-stores.md. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { Command, InvalidArgumentError } from 'commander'
import { withAddition } from './measure/addition.js'
import { expectedMs, planned } from './measure/plan.js'
import type { Results } from './measure/results.js'
import { runAll } from './measure/run.js'
import { staysAsItIs } from './page.js'
import { redisSuite } from './redis-suite.js'
import { cellLine, estimateLine, gatesTable } from './report/console.js'
import { faultsOf } from './smoke.js'
import { storesSuite } from './stores/suite.js'
import type { Suite } from './suite.js'

interface Options {
  readonly stores: boolean
  readonly full: boolean
  readonly rounds: number
  readonly only?: string[]
  readonly libraries?: string[]
  readonly quick: boolean
  readonly write: boolean
}

const DEFAULT_ROUNDS = 3
const docs = new URL('../docs/', import.meta.url)

const program = new Command('npm run bench --')
  .description(
    'Measures Holdfast beside other libraries of locks, and writes docs/benchmarks.md, or docs/benchmarks-stores.md.',
  )
  .option('--stores', 'on all stores, not only on Redis', false)
  .option('--rounds <number>', 'how often each cell is run; figures are medians', positive, DEFAULT_ROUNDS)
  .option(
    '--only <scenario...>',
    'only the scenarios that are named so or begin so; the rest of the page stays',
  )
  .option('--libraries <library...>', 'only these libraries; leaves docs/ as it is')
  .option('--full', 'a million sections to see how a table grows (with --stores)', false)
  .option(
    '--quick',
    'one short round, to see that everything works: fails if not; leaves docs/ as it is',
    false,
  )
  .option('--no-write', 'leave docs/ as it is')
  .addHelpText('after', `\n${helpOn(redisSuite)}\n\nwith --stores:\n${helpOn(storesSuite)}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const { stores, ...options } = program.parse().opts<Options>()
await bench(stores ? storesSuite : redisSuite, options)

async function bench(suite: Suite, options: Omit<Options, 'stores'>): Promise<void> {
  const { rounds: wanted, only, libraries, quick, full } = options
  const names = namesIn(suite)
  check(only, names, (name, asked) => name.startsWith(asked))
  check(libraries, suite.libraries, (name, asked) => name === asked)
  const unwritten = staysAsItIs(options)
  // Before the run, so that it is not for nothing if they are not there.
  const before = only === undefined || unwritten !== undefined ? undefined : await figuresOf(suite)
  const rounds = quick ? 1 : wanted
  const chosen = (name: string): boolean =>
    only === undefined ||
    only.some((asked) => (names.includes(asked) ? name === asked : name.startsWith(asked)))
  const line = suite.scenarios.filter(({ name }) => chosen(name))
  const cells = planned(quick ? suite.quickened(line) : line, rounds, libraries)
  const ours = libraries === undefined || libraries.includes(suite.ours)
  const programs = Object.entries(suite.programs).filter(([name]) => ours && chosen(name))
  const programsMs = programs.reduce((sum, [, ms]) => sum + ms, 0)
  console.log(
    estimateLine(
      cells,
      cells.reduce((sum, cell) => sum + expectedMs(cell), programsMs),
    ),
  )
  const results = await runAll({
    cells,
    rounds,
    programs: (systems) => suite.run({ chosen: programs.map(([name]) => name), quick, full }, systems),
    onCell: (cell, done) => console.log(cellLine(cell, done, cells.length)),
  })
  if (unwritten === undefined) await writeDown(suite, before ? withAddition(before, results) : results)
  else console.log(unwritten)
  const gates = suite.gatesOf(results)
  console.log(gatesTable(only === undefined ? gates : gates.filter(({ ok }) => ok !== undefined)))
  if (quick) report(faultsOf(results))
}

/** What the page is made from until now. */
async function figuresOf(suite: Suite): Promise<Results> {
  const figures: Results = JSON.parse(await readFile(new URL(suite.figures, docs), 'utf8'))
  return figures
}

function report(faults: readonly string[]): void {
  for (const fault of faults) console.error(`did not work: ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}

async function writeDown(suite: Suite, results: Results): Promise<void> {
  const folder = new URL('benchmarks/', docs)
  await mkdir(folder, { recursive: true })
  const charts = suite.chartsOf(results)
  await Promise.all(charts.map(({ name, svg }) => writeFile(new URL(`${name}.svg`, folder), svg)))
  await writeFile(new URL(suite.figures, docs), `${JSON.stringify(results, undefined, 1)}\n`)
  await writeFile(new URL(suite.page, docs), suite.documentOf(results, charts))
}

function positive(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number > 0) return number
  throw new InvalidArgumentError('a whole number from 1 on is accepted')
}

function namesIn({ scenarios, programs }: Suite): string[] {
  return [...scenarios.map(({ name }) => name), ...Object.keys(programs)]
}

function helpOn(suite: Suite): string {
  return `scenarios: ${namesIn(suite).join(', ')}\nlibraries: ${suite.libraries.join(', ')}`
}

function check(
  asked: readonly string[] | undefined,
  known: readonly string[],
  fits: (name: string, asked: string) => boolean,
): void {
  const unknown = asked?.find((one) => !known.some((name) => fits(name, one)))
  if (unknown !== undefined) program.error(`nothing is called '${unknown}'; there are: ${known.join(', ')}`)
}
