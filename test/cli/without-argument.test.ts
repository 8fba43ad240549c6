/** `new Holdfast()`, which has its locks where the command line has them. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { LockClient } from '../../src/client/index.js'
import { Holdfast, InvalidArgumentError } from '../../src/index.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import { storeAt } from '../../src/stores/url/index.js'
import { ownFolder, untilTold, useProgram } from './program.js'
import { without } from './without.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const program = useProgram()
let state: string

beforeEach(async () => {
  state = await ownFolder()
  for (const name of ['HOLDFAST_URL', 'HOLDFAST_REDIS_URL', 'HOLDFAST_KEY_PREFIX']) vi.stubEnv(name, '')
  vi.stubEnv('HOLDFAST_SERVER', undefined)
  vi.stubEnv('XDG_STATE_HOME', state)
})
afterEach(() => void vi.unstubAllEnvs())

/** What a process prints that runs this with the package as it is built; it must end by itself. */
async function printed(script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    env: { ...process.env, ...env },
  })
  return stdout
}

describe('users 6: without a server', () => {
  test.each([
    ['new Holdfast()', () => new Holdfast()],
    ['new LockClient()', () => new LockClient()],
    ['sqlite()', () => new Holdfast(sqlite())],
    ['storeAt(), with options', () => new Holdfast(storeAt(), { label: 'cron' })],
  ])('%s and the command line exclude each other', async (_, make) => {
    await using client = make()
    const lock = client.lock('x')
    const hold = await lock.acquire()
    expect((await program.run(['run', '-n', 'x', '--', 'true'], { url: '' })).code).toBe(75)
    await hold.release()
    const running = await program.ready(['x', ...untilTold()], { url: '' })
    expect(await lock.tryAcquire()).toBeNull()
    expect((await running.goesOn()).code).toBe(0)
    await using _again = await lock.acquire()
  })

  test('H48: what is given and undefined is missing, and not a file that excludes nobody else', () => {
    const missing: unknown = undefined
    for (const make of [Holdfast, LockClient, sqlite]) {
      const call = () =>
        make === sqlite ? Reflect.apply(make, undefined, [missing]) : Reflect.construct(make, [missing])
      expect(call).toThrow(InvalidArgumentError)
    }
    const withOptions = () => Reflect.construct(Holdfast, [undefined, {}])
    expect(withOptions).toThrow(/with no argument at all .*HOLDFAST_URL/)
  })

  test('who only looks makes no file, and sees the locks in it once another program has made it', async () => {
    const file = join(state, 'app', 'locks.db')
    const at = { url: `sqlite:${file}` }
    for (const each of ['ls', 'inspect x', 'watch x --count 1', 'deadlocks', 'unlock x --force --yes']) {
      const told = { code: 0, stderr: expect.stringContaining(`there is no file ${file}`) }
      expect(await program.run(each.split(' '), at), each).toMatchObject(told)
    }
    const watch = program.start(['watch', 'x', '--interval', '0.1'], at)
    await watch.shows('free')
    expect(existsSync(dirname(file))).toBe(false)
    await using client = new Holdfast(sqlite(file))
    await using _ = await client.lock('x').acquire()
    await watch.shows('held by')
    expect((await watch.endsBy('SIGINT')).stderr).not.toContain('deleted')
  })

  test('a process that a holdfast run on a server has started does not take locks of a file', () => {
    vi.stubEnv('HOLDFAST_SERVER', 'redis://somewhere:6379')
    expect(() => new Holdfast()).toThrow(/redis:\/\/somewhere:6379.*HOLDFAST_URL/)
  })
})

describe('users 6: HOLDFAST_URL', () => {
  test('names the server, with HOLDFAST_KEY_PREFIX, as for the command line; close() ends what was opened', async () => {
    const { url } = inject('servers').standalone
    const env = { HOLDFAST_URL: url, HOLDFAST_KEY_PREFIX: `${process.pid}:` }
    const running = await program.ready(['named', ...untilTold()], { env })
    const script = `import { Holdfast } from 'holdfast'
      const holdfast = new Holdfast()
      console.log(await holdfast.lock('named').isLocked(), await holdfast.lock('other').isLocked())
      await holdfast.close()`
    expect(await printed(script, env)).toBe('true false\n')
    expect((await running.goesOn()).code).toBe(0)
  })

  test.each(['redis://user:hush-hush', 'hush-hush', 'postgres://u:hush/hush@h', 'sqlite:'])(
    '%s is refused by name, and not shown',
    (url) => {
      vi.stubEnv('HOLDFAST_URL', url)
      const message = expect.stringMatching(/^the server URL (?!.*hush)/)
      expect(() => new Holdfast()).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', message }))
    },
  )

  test('a prefix of keys is refused where names have none', () => {
    vi.stubEnv('HOLDFAST_KEY_PREFIX', 'app:')
    expect(() => new Holdfast()).toThrow(/the key prefix is set .*Redis/)
  })
})

describe('users 6: what is not installed', () => {
  const said = `import { Holdfast, StoreError } from 'holdfast'
    try { new Holdfast() } catch (error) {
      console.log(error instanceof StoreError, error.reason, error.transient, error.message)
    }`

  test.each([
    ['libsql', '', /.*npm install libsql.*Node 22\.13.*HOLDFAST_URL/],
    ['ioredis', 'redis://h', /.*npm install ioredis/],
    ['pg', 'postgres://u:p@h/d', /.*npm install pg/],
    ['mysql2/promise', 'mysql://u:p@h/d', /.*npm install mysql2/],
    ['holdfast/sqlite', '', /.*bundled without it.*holdfast\/sqlite/],
    ['holdfast/url', '', /.*new Holdfast\(sqlite\(\)\)/],
  ])('%s: the error says what to do', async (name, url, says) => {
    const told = await printed(said, { ...(await without(name, state)), HOLDFAST_URL: url })
    expect(told).toMatch(/^true not-installed false /)
    expect(told).toMatch(says)
  })
})
