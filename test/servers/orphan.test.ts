import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { programOf } from '../setup/programs.js'
import { accepts } from './port.js'
import { until } from './until.js'

const fixture = new URL('./orphan.fixture.ts', import.meta.url)
const redis = process.env['HOLDFAST_FLAVOUR'] ?? 'redis-7.0'
let folder: string
let child: ChildProcess

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-orphan-'))
  // PostgreSQL runs as another user where this one is root.
  await chmod(folder, 0o755)
})

afterEach(async () => {
  child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

async function startParent(wanted: string): Promise<number> {
  const parent = spawn(process.execPath, [programOf(fixture), wanted], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child = parent
  const [bytes] = await once(parent.stdout, 'data')
  return Number(String(bytes))
}

async function serverFolders(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith('holdfast-server-'))
}

test.each([
  [redis, 'SIGKILL'],
  [redis, 'SIGTERM'],
  [redis, 'SIGINT'],
  ['PostgreSQL', 'SIGKILL'],
  ['MySQL', 'SIGKILL'],
] as const)('%s: a parent ended by %s leaves no server behind', async (wanted, signal) => {
  const port = await startParent(wanted)
  expect(await accepts(port)).toBe(true)
  expect(await serverFolders()).toHaveLength(1)
  child.kill(signal)
  await until(async () => !(await accepts(port)), { what: 'the server has gone' })
  await until(async () => (await serverFolders()).length === 0, { what: 'its folder has gone' })
})
