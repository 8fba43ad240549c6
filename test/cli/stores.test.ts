/** The command line on every store but Redis: as far as each of them can. */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import { MemcachedServer } from '../servers/memcached.js'
import { execute } from '../setup/sql-script.js'
import { useProgram } from './program.js'
import { otherStores, type Where } from './where.js'

describe.each(otherStores)('holdfast in %s', { timeout: 60_000 }, (_, bring, can) => {
  const { lists = true, schema, locksOnly, linesOnly } = can
  const program = useProgram()
  let where: Where
  beforeAll(async () => {
    where = await bring()
  })
  afterAll(() => where?.stop())
  const run = (...args: string[]) => program.run(['--url', where.url, ...args])

  test.runIf(schema)('without its table it says what to run, and that creates it', async () => {
    const before = await run('run', 'x', '--', 'true')
    expect(before.code).not.toBe(0)
    expect(before.stderr).toContain('holdfast schema')
    expect(before.stderr).not.toMatch(/secret|password/)
    const { code, stdout } = await run('schema', schema ?? '')
    expect(code).toBe(0)
    await execute(where.url, stdout)
    expect((await run('run', 'x', '--', 'true')).code).toBe(0)
  })

  test('users 9: run, ls, inspect, watch, unlock: a held lock is seen, kept from others, and freed by force', async () => {
    const running = program.start(['--url', where.url, 'run', 'nightly', '-v', '--', 'sleep', '600'])
    await running.says('got lock')
    expect((await run('run', '-n', 'nightly', '--', 'true')).code).toBe(75)
    expect((await run('inspect', 'nightly')).stdout).toContain('held')
    const held = { name: 'nightly', kind: 'lock', locked: true }
    if (lists) expect(JSON.parse((await run('ls', 'night*', '--json')).stdout)).toMatchObject(held)
    const watched = await run('watch', 'nightly', '--json', '--count', '1')
    expect(JSON.parse(watched.stdout)).toMatchObject(held)
    expect((await run('unlock', '--force', '--yes', 'nightly')).stdout).toContain('is free')
    expect((await run('run', '-n', 'nightly', '--', 'true')).code).toBe(0)
    if (lists) expect((await run('ls', '--json')).stdout).toBe('')
    running.child.kill('SIGTERM')
    await running.outcome
  })

  test('one that waits gets the lock when the command before it has ended', async () => {
    const first = program.start(['--url', where.url, 'run', 'queue', '-v', '--', 'cat'])
    await first.says('got lock')
    const second = program.start(['--url', where.url, 'run', 'queue', '-v', '--', 'echo', 'mine'])
    await second.says('waiting for')
    first.child.stdin?.end()
    expect((await first.outcome).code).toBe(0)
    expect(await second.outcome).toMatchObject({ code: 0, stdout: 'mine\n' })
  })

  test.runIf(locksOnly || linesOnly)('what the store cannot do is refused with 64, and said', async () => {
    const listed = await run('ls')
    expect(listed.code).toBe(lists ? 0 : 64)
    if (!lists) expect(listed.stderr).toContain('cannot list')
    const inLine = await run('run', '--fair', 'x', '--', 'true')
    expect(inLine.code).toBe(locksOnly ? 64 : 0)
    if (locksOnly) expect(inLine.stderr).toContain('keeps no')
    expect((await run('--key-prefix', 'p:', 'inspect', 'x')).code).toBe(64)
  })

  test.skipIf(locksOnly || linesOnly)('permits, latches and the command’s exit code', async () => {
    const ended = await run('run', 'pool', '--permits', '1', '--of', '2', '--', 'sh', '-c', 'exit 7')
    expect(ended.code).toBe(7)
    const shown = JSON.parse((await run('inspect', 'pool', '--json')).stdout)
    expect(shown).toMatchObject({ kind: 'semaphore', available: 2 })
  })
})

const program = useProgram()

test('without a server locks are in a file of the user, which a program shares', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-state-'))
  const env = { XDG_STATE_HOME: folder, HOLDFAST_REDIS_URL: '', HOLDFAST_URL: '' }
  const alone = await program.run(['run', 'x', '--', 'echo', 'alone'], { env })
  expect(alone).toMatchObject({ code: 0, stdout: 'alone\n' })
  const path = join(folder, 'holdfast', 'locks.db')
  expect((await stat(path)).mode & 0o077).toBe(0)
  const holdfast = new Holdfast(sqlite(path))
  const hold = await holdfast.lock('x').acquire()
  expect((await program.run(['run', '-n', 'x', '--', 'true'], { env })).code).toBe(75)
  await hold.release()
  await holdfast.close()
  await rm(folder, { recursive: true })
})

describe('69 and 77, in one line and without secrets', () => {
  test.each(['etcd', 'zk', 'memcached'])('%s cannot be reached', async (scheme) => {
    const { code, stdout, stderr } = await program.run(['inspect', 'x'], {
      url: `${scheme}://u:s3cret@127.0.0.1:1`,
    })
    expect({ code, stdout }).toEqual({ code: 69, stdout: '' })
    expect(stderr).toContain(`${scheme}://127.0.0.1:1`)
    expect(stderr).not.toContain('s3cret')
    const lines = stderr.trimEnd().split('\n')
    // Where the failure takes its time, the first sign comes before it.
    expect(lines.filter((line) => !line.includes('the server has not answered yet'))).toHaveLength(1)
  })

  test('memcached refuses the password', async () => {
    const server = await MemcachedServer.start({ users: ['app:tr0mbone'] })
    onTestFinished(() => server.stop())
    const at = (login: string) => ({ url: `memcached://${login}${server.address}` })
    expect((await program.run(['run', 'x', '--', 'true'], at('app:tr0mbone@'))).code).toBe(0)
    for (const login of ['', 'app:s3cret@']) {
      const { code, stderr } = await program.run(['run', 'x', '--', 'true'], at(login))
      expect(code).toBe(77)
      expect(stderr).not.toMatch(/s3cret|tr0mbone/)
    }
  })
})
