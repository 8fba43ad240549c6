/** The command line on every store but Redis: as far as each of them can. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { MemcachedServer } from '../servers/memcached.js'
import { duringAll } from '../setup/during.js'
import { execute } from '../setup/sql-script.js'
import { useProgram } from './program.js'
import { otherStores } from './where.js'

const program = useProgram()

describe.each(otherStores)('holdfast in %s', { timeout: 60_000 }, (_, bring, can) => {
  const { lists = true, schema, locksOnly, linesOnly } = can
  const where = duringAll(bring)
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
    expect(JSON.parse((await run('watch', 'nightly', '--json', '--count', '1')).stdout)).toMatchObject(held)
    expect((await run('unlock', '--force', '--yes', 'nightly')).stdout).toContain('is free')
    expect((await run('run', '-n', 'nightly', '--', 'true')).code).toBe(0)
    if (lists) expect((await run('ls', '--json')).stdout).toBe('')
    await running.endsBy('SIGTERM')
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
    const command = ['--', 'sh', '-c', 'exit 7']
    expect((await run('run', 'pool', '--permits', '1', '--of', '2', ...command)).code).toBe(7)
    const free = { kind: 'semaphore', available: 2 }
    expect(JSON.parse((await run('inspect', 'pool', '--json')).stdout)).toMatchObject(free)
  })
})

describe('69 and 77, in one line and without secrets', () => {
  test.each(['etcd', 'zk', 'memcached'])('%s cannot be reached', async (scheme) => {
    const url = `${scheme}://u:s3cret@127.0.0.1:1`
    const { code, stdout, stderr } = await program.run(['inspect', 'x'], { url })
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
