import { afterEach, describe, expect, inject, it } from 'vitest'
import { isoTime } from '../../src/base/time/iso-time.js'
import { placeOf } from '../setup/places.js'
import { jsonLines } from './json.js'
import { ownServer, useProgram } from './program.js'
import { redisUrls } from './where.js'

const program = useProgram()

const places = ['standalone', 'cluster', 'sentinel'] as const

// One test runs the program many times.
describe('holdfast and its servers', { timeout: 60_000 }, () => {
  for (const kind of places) {
    const place = placeOf(kind)
    const url = redisUrls[kind]
    describe(kind, () => {
      afterEach(() => place.tidy())

      it('run, ls, inspect and unlock work by URL', async () => {
        const name = place.lockName()
        const setting = { url: url() }
        const lock = place.holdfast().lock(name)
        const command = ['sh', '-c', 'echo ready; read x']
        const running = program.start(['run', name, '--watchdog', '3', '--', ...command], setting)
        await running.shows('ready')
        const { owners } = await lock.inspect()
        const [inspected] = jsonLines((await program.run(['inspect', name, '--json'], setting)).stdout)
        const shown = owners.map(({ heldSince = 0, ...owner }) => ({
          ...owner,
          heldSince: isoTime(heldSince),
        }))
        expect(inspected).toMatchObject({ name, locked: true, owners: shown })
        const listed = jsonLines((await program.run(['ls', '--json', `${kind}:*`], setting)).stdout)
        expect(listed.map((each) => each['name'])).toContain(name)
        expect((await program.run(['run', name, '-n', '--', 'true'], setting)).code).toBe(75)
        expect((await program.run(['unlock', name, '--force', '--yes'], setting)).code).toBe(0)
        expect((await running.outcome).code).toBe(76)
        expect(await lock.isLocked()).toBe(false)
      })

      it('--url goes before HOLDFAST_REDIS_URL', async () => {
        const args = ['inspect', place.lockName(), '--url', url()]
        expect((await program.run(args, { url: 'redis://127.0.0.1:1' })).code).toBe(0)
      })
    })
  }

  it('databases are kept apart', async () => {
    const place = placeOf('standalone')
    const name = place.lockName()
    const lock = place.holdfast().lock(name)
    const hold = await lock.acquire()
    const { url } = inject('servers').standalone
    expect((await program.run(['run', name, '-n', '--', 'true'], { url: `${url}/0` })).code).toBe(75)
    expect((await program.run(['run', name, '-n', '--', 'true'], { url: `${url}/3` })).code).toBe(0)
    await hold.release()
    await place.tidy()
  })

  describe('69: Redis cannot be reached', () => {
    const cases: ReadonlyArray<readonly [string, ...string[]]> = [
      ['redis://127.0.0.1:1', 'run', 'x', '--', 'echo', 'ran'],
      ['redis://127.0.0.1:1', 'run', 'x', '-w', '0.5', '--', 'echo', 'ran'],
      ['redis://127.0.0.1:1', 'inspect', 'x'],
      ['redis-cluster://127.0.0.1:1/', 'ls'],
      ['redis-cluster://127.0.0.1:1/', 'run', 'x', '--', 'echo', 'ran'],
      ['redis-sentinel://127.0.0.1:1/group', 'inspect', 'x'],
    ]
    for (const [url, ...args] of cases) {
      it(`${url}: ${args.join(' ')}`, async () => {
        const { code, stdout, stderr } = await program.run(args, { url })
        expect({ code, stdout }).toEqual({ code: 69, stdout: '' })
        expect(stderr).toContain(url.replace(/\/$/, ''))
        expect(stderr).toContain('HOLDFAST_URL')
        expect(stderr.trimEnd().split('\n')).toHaveLength(1)
      })
    }

    it('a server that hangs', async () => {
      const server = await ownServer()
      await server.pause()
      for (const args of [
        ['inspect', 'x'],
        ['run', 'x', '-n', '--', 'true'],
      ]) {
        const { code, stderr } = await program.run(args, { url: server.url })
        expect(code).toBe(69)
        const [first, ...rest] = stderr.split('\n')
        expect(first).toContain('the server has not answered yet')
        // Whether connecting or answering took too long is the clock's choice.
        expect(rest.join()).toMatch(/did not answer|cannot reach/)
      }
    })
  })

  describe('users and passwords', () => {
    it('come from the URL; 77 when the server refuses, and no password is shown', async () => {
      const server = await ownServer('--requirepass', 'p@ss/w:rd')
      const { host, port } = server
      const encoded = encodeURIComponent('p@ss/w:rd')
      const right = await program.run(['run', 'x', '--', 'true'], {
        url: `redis://:${encoded}@${host}:${port}`,
      })
      expect(right).toEqual({ code: 0, stdout: '', stderr: '' })
      const named = { url: `redis://default:${encoded}@${host}:${port}/2` }
      expect((await program.run(['inspect', 'x'], named)).code).toBe(0)
      for (const credentials of ['', ':wrong-secret@']) {
        for (const args of [['run', 'x', '--', 'true'], ['ls']]) {
          const { code, stderr } = await program.run(args, { url: `redis://${credentials}${host}:${port}` })
          expect({ credentials, args, code, stderr }).toMatchObject({ code: 77 })
          expect(stderr).not.toContain('wrong-secret')
        }
      }
    })
  })
})
