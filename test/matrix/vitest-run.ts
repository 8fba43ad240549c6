import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Combination } from './combination.js'
import type { Node } from './node.js'
import { parseReport, type Report } from './report.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** Twice what the longest takes on a busy machine. */
const MOST_MS = 10 * 60_000
/** After so many failures the rest is left out: where each of them hangs, there would be no report before the time is over. */
const MOST_FAILURES = 4

export interface Outcome {
  readonly report: Report
  /** Where its servers came from, as the test run said. */
  readonly servers: string
}

/**
 * Runs a combination's suites with vitest, in a process of the given Node.
 *
 * @throws if vitest came to no result.
 */
export async function runSuites(combination: Combination, node: Node): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-matrix-'))
  try {
    const file = join(folder, 'report.json')
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
    const reporters = [
      '--reporter=verbose',
      '--reporter=json',
      `--outputFile.json=${file}`,
      `--bail=${MOST_FAILURES}`,
      // Its files run in full in `everywhere`.
      '--project=!places',
    ]
    const suites = combination.suites.map((suite) => (suite.endsWith('.ts') ? suite : `${suite}/`))
    // Its suites have tests of MySQL too, which is of one release only.
    const only = combination.database?.startsWith('mariadb') ? ['--testNamePattern=MariaDB'] : []
    const args = [vitest, 'run', ...suites, ...only, ...reporters]
    const printed = await printedBy(node.program, args, environment(combination, node))
    const json = await readFile(file, 'utf8').catch(() => {
      const failed = printed.split('\n').filter((line) => line.includes('×'))
      throw new Error(`vitest wrote no report; it printed:\n${failed.join('\n')}\n${printed.slice(-2_000)}`)
    })
    const [, servers = '?'] = /servers by (\w+):/.exec(printed) ?? []
    return { report: parseReport(json, root), servers }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function environment(
  { flavour, client, database, runtime }: Combination,
  { program }: Node,
): NodeJS.ProcessEnv {
  return {
    ...process.env,
    HOLDFAST_FLAVOUR: flavour,
    HOLDFAST_CLIENT: client,
    HOLDFAST_DATABASE: database ?? '',
    HOLDFAST_RUNTIME: runtime ?? 'node',
    // A server of the user's is of one flavour at most.
    HOLDFAST_REDIS_URL: '',
    // Scripts that name their interpreter by `env node` are to get this one too.
    PATH: `${dirname(program)}${delimiter}${process.env['PATH'] ?? ''}`,
  }
}

async function printedBy(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  const timer = setTimeout(() => {
    printed += `\nended after ${MOST_MS / 60_000} minutes\n`
    child.kill('SIGTERM')
    setTimeout(() => child.kill('SIGKILL'), 5_000).unref()
  }, MOST_MS)
  await once(child, 'close')
  clearTimeout(timer)
  return printed
}
