/** Passwords, tokens and the names of others on the command line: what it prints, and what the command that it runs is given. */
import { createServer } from 'node:http'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { parseServerUrl } from '../../src/stores/url/server-address.js'
import { freePort } from '../servers/port.js'
import { Marker, rejection } from '../setup/marker.js'
import { tidiedPlace } from '../setup/places.js'
import { jsonLines } from './json.js'
import { ownFolder, serve, useProgram } from './program.js'
import { without } from './without.js'

const program = useProgram()
const place = tidiedPlace('standalone')

describe('faults A2: an address shows no part of a password', () => {
  const schemes = 'redis redis-cluster redis-sentinel postgres mysql postgres+advisory etcd zk memcached'
  const passwords =
    '/SECRET 12/SECRET SECRET/x a?SECRET 1?SECRET 1#SECRET @SECRET %SECRET :SECRET/ 1/SECRET@2/'

  it.each(schemes.split(' '))('%s', async (scheme) => {
    const marker = new Marker()
    for (const password of passwords.split(' ')) {
      const url = `${scheme}://app:${password.replace('SECRET', marker.text)}@127.0.0.1:1/main`
      const shown: string[] = []
      const refusal = await rejection(() => shown.push(parseServerUrl(url).shown))
      marker.expectNone([...shown, refusal], `${scheme}, ${password}`)
    }
  })
})

describe('faults A2: the program prints no secret', () => {
  it('whatever is wrong with its words', async () => {
    const marker = new Marker()
    const url = `redis://app:${marker.text}@127.0.0.1:1`
    for (const args of [
      ['ls', '--url', url],
      ['ls', '--json', '--url', url],
      ['ls', `--urll=${url}`],
      ['ls', '--url', `redis:${marker.text}@127.0.0.1`],
      ['ls', '--url', `postgres://app:12/${marker.text}@127.0.0.1:1/db`],
      ['ls', '--url', `zk://app:${marker.text}@127.0.0.1:0`],
      ['run', url, '--url', `mysql://app:/${marker.text}@127.0.0.1:1/db`, '--', 'true'],
      ['run', 'x', url, '--', 'true'],
      ['run', 'x', `-w${url}`, '--', 'true'],
      ['ls', url],
      ...['inspect', 'watch'].map((each) => [each, url.replace('redis', 'postgres+advisory')]),
      ['unlock', '--force', '--yes', `rediss-cluster://:12/${marker.text}@h`],
      ['ui', '--token', `${marker.text} ä`],
      ['ui', '--token', 'short', '--url', url],
      ['schema', url],
    ]) {
      const { code, stdout, stderr } = await program.run(args, { env: { HOLDFAST_DEBUG: '1' } })
      expect(code, args.join(' ')).not.toBe(0)
      marker.expectNone(`${stdout}${stderr}`, args[0] ?? '')
    }
  })

  it('where servers refuse the login, or are none', async () => {
    const marker = new Marker()
    const http = createServer((request, response) => response.end(request.url)).listen(0, '127.0.0.1')
    const address = http.address()
    const other = typeof address === 'object' && address ? address.port : 0
    const { host, port } = inject('servers').standalone
    const none = await freePort()
    onTestFinished(() => void http.close())
    const outcomes = [
      `redis://${host}:${port}`,
      ...['redis', 'postgres', 'mysql', 'etcd', 'zk', 'memcached'].flatMap((each) =>
        [none, other].map((at) => `${each}://127.0.0.1:${at}`),
      ),
    ].map(async (server) => {
      const url = server.replace('://', `://user-${marker.text}:pass-${marker.text}@`)
      const path = /^(postgres|mysql)/.test(server) ? '/db' : ''
      const setting = { url: `${url}${path}`, env: { HOLDFAST_DEBUG: '1' } }
      const { code, stdout, stderr } = await program.run(['run', 'x', '-w', '0.2', '--', 'true'], setting)
      marker.expectNone(`${stdout}${stderr}`, server)
      expect(code, server).toBeGreaterThan(0)
    })
    await Promise.all(outcomes)
  })

  it('nor does the page, also where its server is gone', async () => {
    const marker = new Marker()
    const token = `token-${marker.text}`
    const { host, port } = inject('servers').standalone
    await place.client().call('ACL', 'SETUSER', marker.text, 'on', `>${marker.text}`, '~*', '&*', '+@all')
    const server = `redis://${marker.text}:${marker.text}@${host}:${port}`
    const { url, running } = await serve(program, server, [], { HOLDFAST_UI_TOKEN: token })
    await place.client().call('ACL', 'DELUSER', marker.text)
    const answer = await fetch(`${url}events`, { headers: { Authorization: `Bearer ${token}` } })
    let told = ''
    for await (const chunk of answer.body ?? []) {
      told += Buffer.from(chunk).toString()
      if (/"trouble":"/.test(told)) break
    }
    for (const path of ['', 'events', 'nowhere']) told += await (await fetch(`${url}${path}`)).text()
    marker.expectNone(`${told}${running.stdout}${running.stderr}`, 'the page')
  })
})

describe('faults C2: names steer no terminal', () => {
  it.each(['ls', 'inspect'])('%s', async (command) => {
    const prefix = place.lockName()
    const name = `${prefix}\u009b31m\u202e\u2028\u0085\u{e0041}\u001b[2J`
    await using _ = await place.holdfast().lock(name).acquire()
    for (const flags of [[], ['--json']]) {
      const asked = command === 'ls' ? `${prefix}*` : name
      const { code, stdout, stderr } = await program.run([command, ...flags, asked])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      if (flags.length > 0) expect(jsonLines(stdout)).toMatchObject([{ name }])
    }
  })

  it('in what run tells', async () => {
    const name = `${place.lockName()}\u009b31m\u202e`
    const { stderr } = await program.run(['run', name, '--json', '--', 'true'])
    expect(stderr.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(jsonLines(stderr)[0]).toMatchObject({ lock: name })
  })
})

describe('faults C3: no server is named', () => {
  it('and there is no SQLite: that is said, and is no server that does not answer', async () => {
    const state = await ownFolder()
    const env = { ...(await without('libsql', state)), XDG_STATE_HOME: state }
    const { code, stderr } = await program.run(['run', 'x', '--', 'true'], { url: '', env })
    for (const said of [/HOLDFAST_URL .* --url/, 'npm install libsql', 'Node 22.13'])
      expect(stderr).toMatch(said)
    expect(code).toBe(78)
  })
})

describe('faults C4: what the command is given', () => {
  it('no address of a server and no token', async () => {
    const { url } = inject('servers').standalone
    const env = { HOLDFAST_URL: url, HOLDFAST_UI_TOKEN: 'a token of some length', OTHER: 'kept' }
    const { code, stdout } = await program.run(['run', place.lockName(), '--', 'env'], { env })
    expect(code).toBe(0)
    expect(stdout).not.toMatch(/^HOLDFAST_(URL|REDIS_URL|UI_TOKEN)=/m)
    expect(stdout).toMatch(/^OTHER=kept$/m)
    expect(stdout).toContain(`HOLDFAST_SERVER=${url}`)
  })

  it('a run within it takes no other lock by mistake: it has to name its server', async () => {
    const inner = `${program.words} run inner -- echo inside`
    const lost = { code: 64, stderr: expect.stringContaining('HOLDFAST_URL, or after --url') }
    expect(await program.run(['run', place.lockName(), '-c', inner])).toMatchObject(lost)
    const file = { url: '', env: { XDG_STATE_HOME: await ownFolder() } }
    const onThisMachine = await program.run(['run', place.lockName(), '-c', inner], file)
    expect(onThisMachine).toMatchObject({ code: 0, stdout: 'inside\n' })
  })

  it('what has no schema, and a command in front of --, are answered with what to write', async () => {
    expect((await program.run(['schema', 'sqlite'])).stderr).toContain('SQLite needs no SQL from you')
    const refused = { code: 64, stderr: expect.stringContaining('holdfast run NAME -- command') }
    expect(await program.run(['run', 'a', 'sleep', '--', '1'])).toMatchObject(refused)
  })
})
