/** `new Holdfast()`, which has its locks where the command line has them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { LockClient } from '../../src/client/index.js'
import { Holdfast, InvalidArgumentError, StoreError } from '../../src/index.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import { storeAt } from '../../src/stores/url/index.js'
import { useProgram } from './program.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const program = useProgram()
let state: string

beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'holdfast-state-'))
  for (const name of ['HOLDFAST_URL', 'HOLDFAST_REDIS_URL', 'HOLDFAST_KEY_PREFIX']) vi.stubEnv(name, '')
  vi.stubEnv('HOLDFAST_SERVER', undefined)
  vi.stubEnv('XDG_STATE_HOME', state)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(state, { recursive: true })
})

/** What a process prints that runs this with the package as it is built; it must end by itself. */
async function printed(script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  await once(child, 'close')
  return out
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
    const busy = await program.run(['run', '-n', 'x', '--', 'true'], { url: '' })
    expect(busy.code).toBe(75)
    await hold.release()
    const running = program.start(['run', 'x', '-v', '--', 'cat'], { url: '' })
    await running.says('got lock')
    expect(await lock.tryAcquire()).toBeNull()
    running.child.stdin?.end()
    expect((await running.outcome).code).toBe(0)
    await using _again = await lock.acquire()
  })

  test('H48: what is given and undefined is missing, and not a file that excludes nobody else', () => {
    const missing: unknown = undefined
    for (const make of [Holdfast, LockClient, sqlite]) {
      const call = () =>
        make === sqlite ? Reflect.apply(make, undefined, [missing]) : Reflect.construct(make, [missing])
      expect(call).toThrow(InvalidArgumentError)
    }
    expect(() => Reflect.construct(Holdfast, [undefined, {}])).toThrow(
      /with no argument at all .*HOLDFAST_URL/,
    )
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
    const running = program.start(['run', 'named', '-v', '--', 'cat'], { env })
    await running.says('got lock')
    const script = `import { Holdfast } from 'holdfast'
      const holdfast = new Holdfast()
      console.log(await holdfast.lock('named').isLocked(), await holdfast.lock('other').isLocked())
      await holdfast.close()`
    expect(await printed(script, env)).toBe('true false\n')
    running.child.stdin?.end()
    expect((await running.outcome).code).toBe(0)
  })

  test.each(['redis://user:hush-hush', 'hush-hush', 'postgres://u:hush/hush@h', 'sqlite:'])(
    '%s is refused by name, and not shown',
    (url) => {
      vi.stubEnv('HOLDFAST_URL', url)
      expect(() => new Holdfast()).toThrow(
        expect.objectContaining({
          code: 'INVALID_ARGUMENT',
          message: expect.stringMatching(/^the server URL (?!.*hush)/),
        }),
      )
    },
  )

  test('a prefix of keys is refused where names have none', () => {
    vi.stubEnv('HOLDFAST_KEY_PREFIX', 'app:')
    expect(() => new Holdfast()).toThrow(/the key prefix is set .*Redis/)
  })
})

describe('users 6: what is not installed', () => {
  const without = async (name: string): Promise<Record<string, string>> => {
    const file = join(state, 'hide.cjs')
    await writeFile(
      file,
      `const loader = require('node:module')
       const { _resolveFilename } = loader
       loader._resolveFilename = (name, ...others) => {
         if (name === '${name}') throw Object.assign(new Error('hidden'), { code: 'MODULE_NOT_FOUND' })
         return _resolveFilename(name, ...others)
       }
       process.getBuiltinModule = (name) => name === 'node:sqlite' ? undefined : require(name)`,
    )
    return { NODE_OPTIONS: `--require ${file}` }
  }
  const said = `import { Holdfast, StoreError } from 'holdfast'
    try { new Holdfast() } catch (error) {
      console.log(error instanceof StoreError, error.reason, error.transient, error.message)
    }`

  test.each([
    ['libsql', '', /^true not-installed false .*npm install libsql.*Node 22\.13.*HOLDFAST_URL/],
    ['ioredis', 'redis://h', /^true not-installed false .*npm install ioredis/],
    ['pg', 'postgres://u:p@h/d', /^true not-installed false .*npm install pg/],
    ['mysql2/promise', 'mysql://u:p@h/d', /^true not-installed false .*npm install mysql2/],
    ['holdfast/sqlite', '', /^true not-installed false .*bundled without it.*holdfast\/sqlite/],
    ['holdfast/url', '', /^true not-installed false .*new Holdfast\(sqlite\(\)\)/],
  ])('%s: the error says what to do', async (name, url, says) => {
    expect(await printed(said, { ...(await without(name)), HOLDFAST_URL: url })).toMatch(says)
  })

  test('is none of the failures that a request may be repeated after', () => {
    expect(new StoreError('not-installed', 'open', { transient: false }).transient).toBe(false)
  })
})
