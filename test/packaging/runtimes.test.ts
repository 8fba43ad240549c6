/** The package on every runtime, with a real server: `npx tsx test/matrix/run.ts bun`, or HOLDFAST_RUNTIME, choose one. */
import process from 'node:process'
import { beforeAll, describe, expect, test } from 'vitest'
import { duringAll } from '../setup/during.js'
import { PATIENCE_MS, pack } from './packed.js'
import { environment, Project } from './project.js'
import { provideRuntime, runtimes } from './runtime.js'

const CASES = [
  'import and require give one library',
  'a section may be entered again by its owner',
  'another client waits until the release',
  'the watchdog renews',
  'a lease ends, and its holder is told',
  'a lock that was taken away is told as lost',
  'a client that is closed ends its waits',
]

const chosen = process.env['HOLDFAST_RUNTIME'] || undefined
const packed = duringAll(pack, PATIENCE_MS)
const project = duringAll(() => Project.install(packed.file, { ioredis: '6', redis: '6' }), PATIENCE_MS)

describe.each(runtimes)('on %s', { timeout: PATIENCE_MS }, (runtime) => {
  const asked = chosen === undefined || chosen === runtime
  let begun: readonly string[]

  beforeAll(async () => {
    begun = await provideRuntime(runtime)
  }, PATIENCE_MS)

  function run(...script: string[]): Promise<string> {
    const [program, ...flags] = begun
    return project.node([...flags, ...script], environment(), program)
  }

  test.runIf(asked).each(['ioredis', 'redis'])('a lock does all it promises, with %s', async (library) => {
    expect((await run('smoke.mjs', library)).split('\n')).toEqual(CASES)
  })

  // What it does on Node is in consumer.cases.ts.
  test.runIf(asked && runtime !== 'node')('the watchdog’s thread is refused, and the error says why', () =>
    expect(run('blocked.mjs')).rejects.toMatchObject({
      stderr: expect.stringContaining(
        `watchdogThread is true; accepted: false in ${runtime}, whose threads have no monotonic clock in common`,
      ),
    }),
  )
})
