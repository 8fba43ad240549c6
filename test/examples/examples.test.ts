/** Every program in examples/ runs as it stands, and prints what its text promises. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, inject, test } from 'vitest'
import { programOf } from '../setup/programs.js'
import { Program } from './program.js'

const folder = new URL('../../examples/', import.meta.url)
const servers = inject('servers')

const env = {
  HOLDFAST_REDIS_URL: servers.standalone.url,
  HOLDFAST_CLUSTER: servers.cluster.startupNodes.map(({ host, port }) => `${host}:${port}`).join(','),
  HOLDFAST_SENTINELS: servers.sentinel.sentinels.map(({ host, port }) => `${host}:${port}`).join(','),
  HOLDFAST_SENTINEL_NAME: servers.sentinel.name,
}

/** What each prints. */
const printed: Readonly<Record<string, string[]>> = {
  'quick-start.ts': ['total: 15', 'still locked: false'],
  'nested-sections.ts': [
    ...['acquired, hold 1', 'acquired, hold 2', 'released, 1 left', 'acquired, hold 2'],
    ...['released, 1 left', 'released, 0 left', 'alice 70, bob 30'],
  ],
  'lost-lock.ts': ['lost example:export: not-in-store', 'stopped the request: LOCK_LOST'],
  'cron-job.ts': ['ran: report', 'did without', 'did without'],
  'lock-unlock.ts': [
    ...['once more: true', 'holds: 2', 'a stranger gets it: false'],
    ...['refused: NOT_OWNER', 'refused: NOT_OWNER', 'refused: NO_OWNER'],
  ],
  'explicit-owner.ts': [...[1, 2, 3].map((part) => `part ${part}, holds 2`), 'locked after the end: false'],
  'cluster.ts': ['held: example:cluster:orders, example:cluster:stock', 'still locked: false'],
  'stock.ts': ['asked for: 11000', 'sold: 10000', 'left: 0, below zero: false'],
  'sentinel.ts': ['held: example:sentinel', 'still locked: false'],
}

/** An example that is itself a test, as the test runner of Node runs it. */
const unitTest = 'virtual-time.ts'

describe('examples', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))

  test('all of them are run here', () =>
    expect(files.sort()).toEqual([...Object.keys(printed), unitTest].sort()))

  test.each(files)('%s is short', (name) => {
    expect(readFileSync(new URL(name, folder), 'utf8').split('\n').length).toBeLessThan(60)
  })

  const run = (name: string) => new Program(programOf(new URL(name, folder)), [], env).endWithin(30_000)

  test.each(Object.entries(printed))('%s', async (name, lines) => {
    const { code, stdout, stderr } = await run(name)
    expect({ code, stderr, lines: stdout.trimEnd().split('\n') }).toEqual({ code: 0, stderr: '', lines })
  })

  test(unitTest, async () => {
    const stdout = expect.stringMatching(/\bpass 2\n.*\bfail 0\n/s)
    expect(await run(unitTest)).toMatchObject({ code: 0, stdout })
  })
})
