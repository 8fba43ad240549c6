import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { JsonTestResults } from 'vitest/node'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** A run that takes longer than this hangs, or the machine is too busy: it shows nothing. */
const LIMIT_MS = 20 * 60_000

/** A worker that computes for longer than this is in an endless loop, however busy the machine; the run fails. */
const LIMIT_CPU_S = 300

/** `killed` names the first test that failed; `hung` is no result. */
export type Outcome = { readonly killed: string } | 'lived' | 'hung'

/**
 * Runs tests of one project against a broken version of the library, until the first fails. `only` are arguments for vitest that pick
 * files or tests, all by default. The tests of the mutants themselves are left out: they look at the text that is broken.
 */
export async function run(mutant: string, project: string, only: readonly string[] = []): Promise<Outcome> {
  mkdirSync(`${root}temp`, { recursive: true })
  const report = `${root}temp/kill-${process.pid}.json`
  await rm(report, { force: true })
  const options = ['--bail=1', '--exclude=test/mutants/**', '--reporter=json', `--outputFile=${report}`]
  const vitest = [process.execPath, `${root}node_modules/vitest/vitest.mjs`, 'run', '--project', project]
  const child = spawn(
    'sh',
    ['-c', `ulimit -t ${LIMIT_CPU_S}; exec "$@"`, 'sh', ...vitest, ...only, ...options],
    { cwd: root, env: { ...process.env, HOLDFAST_MUTANT: mutant }, stdio: 'ignore', timeout: LIMIT_MS },
  )
  const [code] = await once(child, 'close')
  if (code === null) return 'hung'
  const { testResults = [] }: Partial<JsonTestResults> = JSON.parse(
    await readFile(report, 'utf8').catch(() => '{}'),
  )
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  await rm(report, { force: true })
  if (code !== 0)
    return { killed: tests.find(({ status }) => status === 'failed')?.fullName ?? 'the run itself' }
  if (!tests.some(({ status }) => status === 'passed'))
    throw new Error(`${project} has no test ${only.join(' ')}`)
  return 'lived'
}
