/** The thread in programs of their own: run from source, and bundled into one file with nothing beside it. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'

const fixture = fileURLToPath(new URL('./blocked.fixture.ts', import.meta.url))
const KEPT = { held: true, causes: [] }

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-thread-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What it printed, once it has ended by itself. */
async function output(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    cwd: folder,
    env: { ...process.env, ...env },
    timeout: 15_000,
  })
  return JSON.parse(stdout)
}

const port = (): string => String(inject('servers').standalone.port)

describe.each(['leave', 'close'])('a program that blocks, then ends (%s)', (scenario) => {
  test('keeps its lock meanwhile; the thread does not keep it alive', async () => {
    expect(await output(['--import', import.meta.resolve('tsx'), fixture, scenario, port()])).toEqual(KEPT)
  })

  test.each(['esm', 'cjs'] as const)('the same, bundled into one %s file', async (format) => {
    const outfile = join(folder, format === 'esm' ? 'bundle.mjs' : 'bundle.cjs')
    const js = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"
    await build({
      entryPoints: [fixture],
      bundle: true,
      minify: true,
      platform: 'node',
      format,
      outfile,
      // ioredis is CommonJS, which asks for Node's modules by require.
      banner: format === 'esm' ? { js } : {},
      logLevel: 'error',
    })
    for (const file of await readdir(folder)) expect(file).toMatch(/^bundle\./)
    expect(await output([outfile, scenario, port()])).toEqual(KEPT)
  })
})

test('options meant for the application are not applied in the thread', async () => {
  const outfile = join(folder, 'bundle.cjs')
  await build({
    entryPoints: [fixture],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
    logLevel: 'error',
  })
  // In the main thread it does nothing; in any other it would end it.
  const hostile =
    "data:text/javascript,import{isMainThread}from'node:worker_threads';if(!isMainThread)process.exit(9)"
  expect(await output(['--import', hostile, outfile, 'close', port()])).toEqual(KEPT)
  expect(await output([outfile, 'close', port()], { NODE_OPTIONS: `--import=${hostile}` })).toEqual(KEPT)
})
