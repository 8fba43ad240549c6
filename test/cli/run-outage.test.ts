import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import { calls } from '../fault/proxied-command.js'
import { Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { useProgram } from './program.js'

const program = useProgram()

/** Its options, and what keeps it waiting while another client holds it. */
const kinds = [
  ['', (holdfast: Holdfast, name: string) => holdfast.lock(name)],
  ['--fair', (holdfast: Holdfast, name: string) => holdfast.fairLock(name)],
  ['--shared', (holdfast: Holdfast, name: string) => holdfast.readWriteLock(name).writeLock()],
  ['--exclusive', (holdfast: Holdfast, name: string) => holdfast.readWriteLock(name).writeLock()],
  ['--permits 1', (holdfast: Holdfast, name: string) => holdfast.semaphore(name)],
  ['--permits 1 --of 1', (holdfast: Holdfast, name: string) => holdfast.semaphore(name)],
] as const

describe.each(kinds)('H8: its server away for a moment: holdfast run %s', (words, heldBy) => {
  const options = words.split(' ').filter(Boolean)
  const scene = duringEach(() => Scene.standalone())
  const direct = () => scene.holdfast({}, { proxied: false })
  const run = (flags: readonly string[], ...command: string[]) =>
    program.start(['run', scene.name, ...flags, ...options, '--', ...command], {
      url: `redis://127.0.0.1:${scene.proxy.port}`,
    })
  beforeEach(async () => {
    if (options[0] === '--permits') await direct().semaphore(scene.name).trySetPermits(1)
  })
  afterEach(async () => {
    for (const key of await scene.direct.keys(`*${scene.name}*`)) await scene.direct.del(key)
  })

  /** Refuses until three tries to connect have come, or the program has ended. */
  async function away(ended: Promise<unknown>): Promise<void> {
    const before = scene.proxy.refused
    let over = false
    void ended.then(() => {
      over = true
    })
    scene.proxy.refuse()
    scene.proxy.breakAll()
    await eventually(() => over || scene.proxy.refused >= before + 3)
    scene.proxy.heal()
  }

  it('at the start: it runs all the same, or says why not', async () => {
    scene.proxy.refuse()
    const { outcome } = run([], 'echo', 'ran')
    await away(outcome)
    const { code, stdout, stderr } = await outcome
    // Never because nothing was left that kept the process alive.
    expect(code).not.toBe(13)
    expect(code).not.toBeNull()
    if (code !== 0) expect(stderr).not.toBe('')
    expect(stdout.includes('ran')).toBe(code === 0)
  })

  it('while it waits: it waits on, and runs', async () => {
    const hold = await heldBy(direct(), scene.name).acquire()
    const running = run(['-v'], 'echo', 'ran')
    await running.says('waiting for')
    await away(running.outcome)
    await hold.release()
    expect(await running.outcome).toMatchObject({ code: 0, stdout: 'ran\n' })
  })

  it('at the release: it gives back what it had, and ends as its command did', async () => {
    const running = run([], 'sh', '-c', 'echo runs; read line; echo ran')
    await running.shows('runs')
    scene.proxy.refuse()
    scene.proxy.breakAll()
    const outcome = running.goesOn()
    await running.shows('ran')
    await away(outcome)
    expect((await outcome).code).toBe(0)
    expect(await run(['-n'], 'echo', 'ran').outcome).toMatchObject({ code: 0, stdout: 'ran\n' })
  })
})

describe('H8: its server starts, and then hangs', () => {
  const scene = duringEach(() => Scene.standalone())

  it('holdfast run ends soon after its wait', async () => {
    const silent = scene.proxy.dropReply(calls('acquire'), 'silence', 2)
    scene.proxy.replaceReplies(calls('acquire'), '-LOADING Redis is loading the dataset in memory\r\n')
    const words = ['run', scene.name, '--wait', '1', '--', 'true']
    const running = program.start(words, { url: `redis://127.0.0.1:${scene.proxy.port}` })
    await silent
    const saidAt = performance.now()
    expect((await running.outcome).code).toBe(69)
    // Not when the silent command times out, after 3 s.
    expect(performance.now() - saidAt).toBeLessThan(2_900)
  })
})
