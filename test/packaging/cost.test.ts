/** What the package costs who installs and imports it, beside another library for the same purpose. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { duringAll } from '../setup/during.js'
import { install, PATIENCE_MS, pack } from './packed.js'
import { Project } from './project.js'

/** Each is measured so often, in turn, and its least counts: other programs only add to it. */
const ROUNDS = 5

const packed = duringAll(pack, PATIENCE_MS)
const project = duringAll(() => Project.bare())

describe('beside redis-semaphore', { timeout: PATIENCE_MS }, () => {
  test('it brings one package, and few files', async () => {
    await installed([packed.file])
    const names = await readdir(project.path('node_modules'))
    expect(names.filter((name) => !name.startsWith('.')).sort()).toEqual(['eventemitter3', 'holdfast'])
  })

  test('an install takes at most twice the time', async () => {
    const [report, spent] = [project.path('report.cjs'), project.path('spent')]
    await writeFile(
      report,
      `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(spent)}, JSON.stringify(process.cpuUsage())))`,
    )
    const ratio = await ratioOf([packed.file, 'redis-semaphore'], async (library) => {
      await installed([library, 'ioredis@5'], { NODE_OPTIONS: `--require=${report}` })
      const { user, system } = JSON.parse(await readFile(spent, 'utf8'))
      return user + system
    })
    expect(ratio).toBeLessThanOrEqual(2)
  })

  test('an import takes little more time', async () => {
    await installed([packed.file, 'redis-semaphore', 'ioredis@5'])
    const ratio = await ratioOf(['holdfast', 'redis-semaphore'], async (library) => {
      const script = `const before = process.cpuUsage(); await import('${library}')
      const { user, system } = process.cpuUsage(before); console.log(user + system)`
      return Number(await project.node(['--input-type=module', '-e', script]))
    })
    expect(ratio).toBeLessThanOrEqual(1.3)
  })
})

/** Installs them in a project that has nothing yet. */
async function installed(packages: readonly string[], env = {}): Promise<void> {
  for (const left of ['node_modules', 'package-lock.json'])
    await rm(project.path(left), { recursive: true, force: true })
  await writeFile(project.path('package.json'), '{ "name": "consumer", "private": true }')
  await install(project.folder, packages, env)
}

/** What ours takes, of what the other takes, in CPU time. */
async function ratioOf(
  libraries: readonly [string, string],
  measure: (library: string) => Promise<number>,
): Promise<number> {
  const least = libraries.map(() => Infinity)
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, library] of libraries.entries())
      least[index] = Math.min(least[index] ?? Infinity, await measure(library))
  console.log(`${libraries.join(' and ')}: ${least.map((us) => us / 1_000)} ms`)
  const [ours = Number.NaN, other = Number.NaN] = least
  return ours / other
}
