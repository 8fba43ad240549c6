/** The package on every runtime, with a real server: `npx tsx test/matrix/run.ts bun`, or HOLDFAST_RUNTIME, choose one. */
import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { pack } from './packed.js'
import { Project } from './project.js'
import { provideRuntime, runtimes } from './runtime.js'

/** Compilers and installers take their time on a machine that runs other tests too. */
const PATIENCE_MS = 180_000

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
let project: Project

beforeAll(async () => {
  await using packed = await pack()
  project = await Project.install(packed.file, { ioredis: '6', redis: '6' })
  return () => project.remove()
}, PATIENCE_MS)

describe.each(runtimes)('on %s', (runtime) => {
  const asked = chosen === undefined || chosen === runtime
  let program: string
  let flags: readonly string[]

  beforeAll(async () => {
    const [first = '', ...others] = await provideRuntime(runtime)
    program = first
    flags = others
  }, PATIENCE_MS)

  async function runs(...script: string[]): Promise<string> {
    const env = {
      ...process.env,
      REDIS_URL: inject('servers').standalone.url,
      LOCK_NAME: `packaging:${process.pid}:${runtime}`,
    }
    const options = { cwd: project.folder, env, timeout: 60_000 }
    const { stdout } = await promisify(execFile)(program, [...flags, ...script], options)
    return stdout.trim()
  }

  test.runIf(asked).each(['ioredis', 'redis'])(
    'a lock does all it promises, with %s',
    { timeout: 60_000 },
    async (library) => {
      expect((await runs('smoke.mjs', library)).split('\n')).toEqual(CASES)
    },
  )

  // What it does on Node is in watchdog-thread.cases.ts.
  test.runIf(asked && runtime !== 'node')(
    'the watchdog’s thread is refused, and the error says why',
    { timeout: 60_000 },
    async () => {
      await expect(runs('blocked.mjs')).rejects.toMatchObject({
        stderr: expect.stringContaining(
          `watchdogThread is true; accepted: false in ${runtime}, whose threads have no monotonic clock in common`,
        ),
      })
    },
  )
})
