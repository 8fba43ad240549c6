/*
 * Runs the tests over every server, client library and line of Node that Holdfast supports: `npm run test:all -- matrix`. Arguments
 * pick those combinations that have each of them in their title: `npx tsx test/matrix/run.ts valkey`, `… -- "node 24"`, `… -- postgres-18`; `others` picks
 * all but what `npm test` runs anyway. Fails when a test fails, when a combination could not be run, and when one ran less than
 * the others.
 */
import process from 'node:process'
import Table from 'cli-table3'
import { type Combination, combinations, isUsual, title } from './combination.js'
import { findGaps } from './gaps.js'
import { provideNode } from './node.js'
import type { TestResult } from './report.js'
import { type Outcome, runSuites } from './vitest-run.js'

interface Row {
  readonly combination: Combination
  readonly seconds: number
  readonly version: string
  readonly outcome: Outcome
  readonly trouble?: string
}

const NOTHING: Outcome = { report: { success: true, tests: [], brokenFiles: [] }, servers: 'not run' }

const picks = process.argv.slice(2)
const chosen = combinations().filter((each) =>
  picks.every((pick) => (pick === 'others' ? !isUsual(each) : title(each).includes(pick))),
)
if (chosen.length === 0) {
  console.error(`no combination has ${picks.join(' and ')}; there are:`)
  for (const each of combinations()) console.error(`  ${title(each)}`)
  process.exit(64)
}

const rows: Row[] = []
for (const [index, combination] of chosen.entries()) {
  console.log(`[${index + 1}/${chosen.length}] ${title(combination)}: ${combination.suites.join(' ')}`)
  const row = await tryOut(combination)
  rows.push(row)
  printTroubles(row)
}

const ran = rows.filter(({ trouble }) => trouble === undefined)
const gaps = findGaps(
  ran.map(({ combination, outcome }) => ({
    title: title(combination),
    suites: combination.suites,
    tests: outcome.report.tests,
  })),
)
for (const gap of gaps) console.log(`missing: ${gap}`)
console.log(table(rows))
if (picks.length > 0) console.log(`(${chosen.length} of ${combinations().length} combinations, as asked)`)

const unrun = rows.length - ran.length
const passed = rows.reduce((sum, row) => sum + count(row, 'passed'), 0)
const failed = rows.reduce((sum, row) => sum + count(row, 'failed') + broken(row), 0)
if (unrun > 0) console.log(`${unrun} combinations could not be run`)
if (gaps.length > 0) console.log(`${gaps.length} tests missing`)
console.log(`${passed} passed, ${failed + unrun + gaps.length} failed`)
process.exitCode = failed + unrun + gaps.length > 0 ? 1 : 0

async function tryOut(combination: Combination): Promise<Row> {
  const start = performance.now()
  const seconds = (): number => Math.round((performance.now() - start) / 1_000)
  let version = `v${combination.nodeMajor}`
  try {
    const node = await provideNode(combination.nodeMajor)
    version = node.version
    const outcome = await runSuites(combination, node)
    return { combination, seconds: seconds(), version, outcome }
  } catch (error) {
    const trouble = error instanceof Error ? error.message : String(error)
    return { combination, seconds: seconds(), version, outcome: NOTHING, trouble }
  }
}

function printTroubles({ combination, outcome, trouble }: Row): void {
  if (trouble !== undefined) console.log(`  could not be run: ${trouble}`)
  const { tests, brokenFiles, success } = outcome.report
  for (const { file, name, message } of tests.filter(({ status }) => status === 'failed')) {
    console.log(`  failed: ${file} > ${name}\n${message.replace(/^/gm, '    ')}`)
  }
  for (const { file, message } of brokenFiles)
    console.log(`  broken: ${file}\n${message.replace(/^/gm, '    ')}`)
  if (!success) console.log(`  ${title(combination)}: vitest reports failure`)
}

/** Files that broke; at least one where vitest reports a failure that no test shows, such as an unhandled rejection. */
function broken(row: Row): number {
  const { success, brokenFiles } = row.outcome.report
  const unexplained = !success && brokenFiles.length === 0 && count(row, 'failed') === 0
  return brokenFiles.length + (unexplained ? 1 : 0)
}

function count({ outcome }: Row, status: TestResult['status']): number {
  return outcome.report.tests.filter((test) => test.status === status).length
}

function table(all: readonly Row[]): string {
  const head = ['server', 'brought by', 'client', 'node', 'passed', 'failed', 'skipped', 'seconds']
  const drawn = new Table({ head, style: { head: [], border: [] } })
  for (const row of all) {
    const { combination, outcome, version, seconds } = row
    const counts = [count(row, 'passed'), count(row, 'failed') + broken(row), count(row, 'skipped')]
    const { flavour, client, database, runtime } = combination
    drawn.push([
      database ?? flavour,
      outcome.servers,
      database === undefined ? client : '',
      runtime ?? version,
      ...counts,
      seconds,
    ])
  }
  return drawn.toString()
}
