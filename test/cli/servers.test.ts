import { describe, expect, inject, it } from 'vitest'
import { isoTime } from '../../src/base/time/iso-time.js'
import { Holdfast } from '../../src/index.js'
import { standaloneClient } from '../setup/clients.js'
import { tidiedPlace } from '../setup/places.js'
import { jsonLines, ownServer, untilTold, useProgram } from './program.js'
import { redisUrls } from './where.js'

const program = useProgram()
/** Where there is no server. */
const NOBODY = { url: 'redis://127.0.0.1:1' }

describe.each(['standalone', 'cluster', 'sentinel'] as const)('holdfast on %s', (kind) => {
  const place = tidiedPlace(kind)

  it('run, ls, inspect and unlock work by URL; --url goes before HOLDFAST_REDIS_URL', async () => {
    const name = place.lockName()
    const setting = { url: redisUrls[kind]() }
    const lock = place.holdfast().lock(name)
    const running = await program.ready([name, '--watchdog', '3', ...untilTold()], setting)
    const { owners } = await lock.inspect()
    const shown = owners.map(({ heldSince = 0, ...owner }) => ({ ...owner, heldSince: isoTime(heldSince) }))
    const inspected = await program.json(['inspect', name, '--url', setting.url], NOBODY)
    expect(inspected).toMatchObject([{ name, locked: true, owners: shown }])
    expect((await program.json(['ls', `${kind}:*`], setting)).map((each) => each['name'])).toContain(name)
    expect((await program.run(['run', name, '-n', '--', 'true'], setting)).code).toBe(75)
    expect((await program.run(['unlock', name, '--force', '--yes'], setting)).code).toBe(0)
    expect((await running.outcome).code).toBe(76)
    expect(await lock.isLocked()).toBe(false)
  })
})

describe('databases', () => {
  const place = tidiedPlace('standalone')

  it('are kept apart', async () => {
    const name = place.lockName()
    await using _ = await place.holdfast().lock(name).acquire()
    const { url } = inject('servers').standalone
    expect((await program.run(['run', name, '-n', '--', 'true'], { url: `${url}/0` })).code).toBe(75)
    expect((await program.run(['run', name, '-n', '--', 'true'], { url: `${url}/3` })).code).toBe(0)
  })
})

describe('69: Redis cannot be reached', () => {
  it.each([
    [NOBODY.url, 'run x -- echo ran'],
    [NOBODY.url, 'run x -w 0.5 -- echo ran'],
    [NOBODY.url, 'inspect x'],
    ['redis-cluster://127.0.0.1:1/', 'ls'],
    ['redis-cluster://127.0.0.1:1/', 'run x -- echo ran'],
    ['redis-sentinel://127.0.0.1:1/group', 'inspect x'],
  ])('%s: %s', async (url, words) => {
    const { code, stdout, stderr } = await program.run(words.split(' '), { url })
    expect({ code, stdout }).toEqual({ code: 69, stdout: '' })
    for (const said of [url.replace(/\/$/, ''), 'HOLDFAST_URL']) expect(stderr).toContain(said)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  it('a server that hangs', async () => {
    const server = await ownServer()
    await server.pause()
    for (const words of ['inspect x', 'run x -n -- true']) {
      const running = program.start(words.split(' '), server)
      await running.says('not answered yet')
      const saidAt = performance.now()
      const { code, stderr } = await running.outcome
      expect(code).toBe(69)
      expect(performance.now() - saidAt).toBeLessThan(4_500)
      // Whether connecting or answering took too long is the clock's choice.
      expect(stderr).toMatch(/^.*the server has not answered yet.*\n(.*\n)*.*(did not answer|cannot reach)/)
    }
  })
})

it('users and passwords come from the URL; 77 when the server refuses, and no password is shown', async () => {
  const { host, port } = await ownServer('--requirepass', 'p@ss/w:rd')
  const encoded = encodeURIComponent('p@ss/w:rd')
  const run = (credentials: string, words: string, database = '') =>
    program.run(words.split(' '), { url: `redis://${credentials}${host}:${port}${database}` })
  expect(await run(`:${encoded}@`, 'run x -- true')).toEqual({ code: 0, stdout: '', stderr: '' })
  expect((await run(`default:${encoded}@`, 'inspect x', '/2')).code).toBe(0)
  for (const credentials of ['', ':wrong-secret@'])
    for (const words of ['run x -- true', 'ls']) {
      const { code, stderr } = await run(credentials, words)
      expect({ credentials, words, code, stderr }).toMatchObject({ code: 77 })
      expect(stderr).not.toContain('wrong-secret')
    }
})

it('a user of some keys is shown locks of the kinds it may read, and told of those it may not', async () => {
  const server = await ownServer()
  const client = standaloneClient({ host: server.host, port: server.port })
  const holdfast = new Holdfast(client)
  await client.call('ACL', 'SETUSER', 'operator', 'on', '>secret', '~app:*', '&*', '+@all')
  const hold = await holdfast.fencedLock('app:plain').acquire()
  await holdfast.readWriteLock('app:shared').readLock().acquire()
  const setting = { url: `redis://operator:secret@${server.host}:${server.port}` }
  const owners = [expect.objectContaining({ owner: hold.owner, holds: 1 })]
  const plain = { name: 'app:plain', kind: 'lock', owners }
  expect(await program.json(['inspect', 'app:plain'], setting)).toMatchObject([plain])
  const listed = await program.run(['ls', 'app:*', '--json'], setting)
  expect(listed.code).toBe(0)
  expect(jsonLines(listed.stdout)).toMatchObject([plain])
  expect(jsonLines(listed.stderr)).toMatchObject([{ event: 'unreadable', unreadable: 1 }])
  expect((await program.run(['run', 'app:other', '--', 'true'], setting)).code).toBe(0)
  // Who may not ask a server for its keys is told so.
  await client.call('ACL', 'SETUSER', 'operator', '-scan')
  expect((await program.run(['ls'], setting)).code).toBe(77)
  await holdfast.close()
  client.disconnect()
})
