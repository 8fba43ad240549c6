/** `holdfast deadlocks`, with hostile names and labels too. */
import { beforeEach, describe, expect, test } from 'vitest'
import { printable } from '../../src/base/identity/printable.js'
import { jsonLines } from '../cli/json.js'
import { useProgram } from '../cli/program.js'
import { Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { plainRing } from './ring.js'

const program = useProgram()
/** Only what this test's clients have left: other test files share the server. */
let prefix: string

const scene = duringEach(() => Scene.standalone())
beforeEach(() => {
  prefix = `${scene.name}:`
})

const run = (...args: string[]) => program.run(['deadlocks', '--key-prefix', prefix, ...args])

const clients = (...labels: string[]) =>
  labels.map((label) =>
    scene.holdfast({ label, diagnostics: true }, { proxied: false, client: { keyPrefix: prefix } }),
  )

describe('holdfast deadlocks', () => {
  test('K2: names a ring of three with labels and places, and its exit code says that there is one', async () => {
    const { told, sections } = await plainRing(clients('web-1', 'web-2', 'batch'), 'order')
    await eventually(() => told.every((events) => events.length > 0))
    const { code, stdout } = await run()
    expect(code).toBe(2)
    expect(stdout).toContain('Deadlock of 3:')
    for (const [label, holds, waitsFor] of [
      ['web-1', 'order:0', 'order:1'],
      ['web-2', 'order:1', 'order:2'],
      ['batch', 'order:2', 'order:0'],
    ]) {
      const line = `${label} \\(\\S+\\) holds lock "${holds}" and has waited for lock "${waitsFor}" since 20`
      expect(stdout).toMatch(new RegExp(line))
    }
    expect(stdout).toContain('ring.ts')
    const json = await run('--json')
    expect(json.code).toBe(2)
    const lines = jsonLines(json.stdout)
    expect(lines.map(({ event }) => event)).toEqual(['deadlock', 'wait', 'wait', 'wait'])
    expect(lines[0]).toMatchObject({
      cycle: [{ label: expect.any(String), holds: { kind: 'lock' } }, {}, {}],
    })
    await scene.end()
    await Promise.all(sections)
  })

  test('K3: a wait that is no deadlock is listed, with exit code 0; no wait at all is said', async () => {
    expect(await run()).toMatchObject({ code: 0, stdout: 'Nobody waits while it holds another lock.\n' })
    const [holder, waiting] = clients('holder', 'waiting')
    const hold = await holder?.lock('a').acquire()
    const section = waiting?.lock('b').withLock(() => waiting.lock('a').withLock(() => undefined))
    await eventually(async () => (await run('--json')).stdout !== '')
    const { code, stdout } = await run()
    expect(code).toBe(0)
    expect(stdout).toMatch(/waiting +lock "b" +lock "a" +20\d\d-/)
    expect((await run('--json', '--key-prefix', `${prefix}other:`)).stdout).toBe('')
    await hold?.release()
    await section
    expect((await run('--json')).stdout).toBe('')
  })

  test('K2: --watch tells of each deadlock once, as it comes, until a signal', async () => {
    const watching = program.start(['deadlocks', '--watch', '--json', '--key-prefix', prefix])
    const { sections } = await plainRing(clients('one', 'other'), 'order')
    await watching.shows('"deadlock"')
    const first = watching.stdout
    await new Promise((resolve) => watching.child.once('exit', resolve).kill('SIGINT'))
    expect((await watching.outcome).code).toBe(0)
    expect(jsonLines(first)).toHaveLength(1)
    await scene.end()
    await Promise.all(sections)
  })

  test('K2: shows hostile names and labels by their codes, and leaves out what no client has written', async () => {
    const hostile = '\u001b[31mred\r\nnext\u202e{x'
    const { told, sections } = await plainRing(clients('<b>&"', '$(id)'), hostile)
    await eventually(() => told.every((events) => events.length > 0))
    const key = `holdfast_edges:{${prefix}planted}`
    const planted = {
      id: '\u001b[2J',
      owner: 'x~%1B%5B2J:1',
      waitsFor: { kind: 'lock', name: 'planted' },
      rejects: true,
    }
    await scene.direct.hset(key, {
      text: 'no edge',
      json: '1 99999999999999 {"id":1}',
      deep: `1 99999999999999 ${JSON.stringify({ ...planted, holds: [null] })}`,
      list: `1 99999999999999 ${JSON.stringify({ ...planted, holds: 7 })}`,
      whole: `1 99999999999999 ${JSON.stringify({ ...planted, holds: [] })}`,
    })
    const { code, stdout } = await run()
    expect(code).toBe(2)
    const text = stdout.replaceAll('\n', '')
    expect(text).toBe(printable(text))
    expect(stdout).toContain('\\u{1b}[31mred')
    expect(stdout).toContain('<b>&"')
    // Of what was planted only what reads as an edge is listed, and none is part of a deadlock.
    const lines = jsonLines((await run('--json')).stdout)
    expect(lines.filter(({ event }) => event === 'deadlock')).toHaveLength(1)
    expect(lines.filter(({ event }) => event === 'wait')).toHaveLength(3)
    await scene.direct.del(key)
    await scene.end()
    await Promise.all(sections)
  })

  test('says where a store keeps no edges', async () => {
    const { code, stderr } = await program.run(['deadlocks', '--url', 'etcd://127.0.0.1:1'])
    expect(code).toBe(64)
    expect(stderr).toContain('does not keep who waits for whom')
  })
})
