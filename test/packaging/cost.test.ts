/** What the package costs who installs and imports it, beside another library for the same purpose. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { npm, type Packed, pack } from './packed.js'

const PATIENCE_MS = 400_000
const run = promisify(execFile)
/** Each is measured so often, in turn, and its least counts: other programs only add to it. */
const ROUNDS = 5

let packed: Packed & AsyncDisposable
let folder: string

beforeAll(async () => {
  packed = await pack()
  folder = await mkdtemp(join(tmpdir(), 'holdfast-cost-'))
  return async () => {
    await packed[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  }
}, PATIENCE_MS)

test('it brings one package, and few files', { timeout: PATIENCE_MS }, async () => {
  await install([packed.file])
  const names = await readdir(join(folder, 'node_modules'))
  expect(names.filter((name) => !name.startsWith('.')).sort()).toEqual(['eventemitter3', 'holdfast'])
})

test('an install takes at most twice the time of redis-semaphore’s', { timeout: PATIENCE_MS }, async () => {
  const report = join(folder, 'report.cjs')
  const spent = join(folder, 'spent')
  await writeFile(
    report,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(spent)}, JSON.stringify(process.cpuUsage())))`,
  )
  const ratio = await compare([packed.file, 'redis-semaphore'], async (library) => {
    await install([library, 'ioredis@5'], { NODE_OPTIONS: `--require=${report}` })
    const { user, system } = JSON.parse(await readFile(spent, 'utf8'))
    return user + system
  })
  expect(ratio('installing')).toBeLessThanOrEqual(2)
})

test('an import takes little more time than redis-semaphore’s', { timeout: PATIENCE_MS }, async () => {
  await install([packed.file, 'redis-semaphore', 'ioredis@5'])
  const ratio = await compare(['holdfast', 'redis-semaphore'], async (library) => {
    const script = `const before = process.cpuUsage(); await import('${library}')
      const { user, system } = process.cpuUsage(before); console.log(user + system)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder })
    return Number(stdout)
  })
  expect(ratio('importing')).toBeLessThanOrEqual(1.3)
})

/** Installs them in a project that has nothing yet. */
async function install(
  packages: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  await rm(join(folder, 'node_modules'), { recursive: true, force: true })
  await rm(join(folder, 'package-lock.json'), { force: true })
  await writeFile(join(folder, 'package.json'), '{ "name": "consumer", "private": true }')
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  await npm(folder, ['install', ...packages, ...flags], env)
}

/** What ours takes, of what the other takes, in CPU time: microseconds. */
async function compare(
  [ours, other]: readonly [string, string],
  measure: (library: string) => Promise<number>,
): Promise<(what: string) => number> {
  const least = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round += 1)
    for (const library of [ours, other])
      least.set(library, Math.min(least.get(library) ?? Infinity, await measure(library)))
  const [mine = NaN, theirs = NaN] = [least.get(ours), least.get(other)]
  return (what) => {
    console.log(`${what}: ${mine / 1_000} ms, redis-semaphore: ${theirs / 1_000} ms`)
    return mine / theirs
  }
}
