import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Scene } from '../fault/scene.js'
import { eventually } from '../setup/eventually.js'
import { type Outcome, useProgram } from './program.js'

const program = useProgram()

const flags = [
  { how: 'plain', options: [] },
  { how: '--fair', options: ['--fair'] },
  { how: '--shared', options: ['--shared'] },
  { how: '--exclusive', options: ['--exclusive'] },
  { how: '--permits', options: ['--permits', '1'] },
  { how: '--permits --of', options: ['--permits', '1', '--of', '1'] },
] as const

/** Ended because it was done, or with a word on why not; never because nothing was left that kept the process alive. */
function expectTold({ code, stderr }: Outcome, stdout: string): void {
  expect(code).not.toBe(13)
  expect(code).not.toBeNull()
  if (code !== 0) expect(stderr).not.toBe('')
  expect(stdout.includes('ran')).toBe(code === 0)
}

describe.each(flags)('H8: holdfast run ($how), its server away for a moment', ({ how, options }) => {
  let scene: Scene
  let url: string
  let name: string
  beforeEach(async () => {
    scene = await Scene.standalone()
    name = scene.name
    url = `redis://127.0.0.1:${scene.proxy.port}`
    if (options[0] === '--permits')
      await scene.holdfast({}, { proxied: false }).semaphore(name).trySetPermits(1)
  })
  afterEach(async () => {
    for (const key of await scene.direct.keys(`*${name}*`)) await scene.direct.del(key)
    await scene.end()
  })

  /** Refuses until so many tries to connect have come, or the program has ended. */
  async function away(until: number, ended: Promise<unknown>): Promise<void> {
    const before = scene.proxy.refused
    let over = false
    void ended.then(() => {
      over = true
    })
    scene.proxy.refuse()
    scene.proxy.breakAll()
    await eventually(() => over || scene.proxy.refused >= before + until)
    scene.proxy.heal()
  }

  it('at the start: it runs all the same, or says why not', async () => {
    scene.proxy.refuse()
    const running = program.start(['run', name, ...options, '--', 'echo', 'ran'], { url })
    await away(3, running.outcome)
    const outcome = await running.outcome
    expectTold(outcome, outcome.stdout)
  })

  it('while it waits: it waits on, and runs', async () => {
    const direct = scene.holdfast({}, { proxied: false })
    const lock = {
      plain: direct.lock(name),
      '--fair': direct.fairLock(name),
      '--shared': direct.readWriteLock(name).writeLock(),
      '--exclusive': direct.readWriteLock(name).writeLock(),
      '--permits': direct.semaphore(name),
      '--permits --of': direct.semaphore(name),
    }[how]
    const hold = await lock.acquire()
    const running = program.start(['run', name, '-v', ...options, '--', 'echo', 'ran'], { url })
    await running.says('waiting for')
    await away(3, running.outcome)
    await hold.release()
    const outcome = await running.outcome
    expect(outcome).toMatchObject({ code: 0, stdout: 'ran\n' })
  })

  it('at the release: it gives back what it had, and ends as its command did', async () => {
    const command = ['sh', '-c', 'echo runs; read line; echo ran']
    const running = program.start(['run', name, ...options, '--', ...command], { url })
    await running.shows('runs')
    scene.proxy.refuse()
    scene.proxy.breakAll()
    running.child.stdin?.end('\n')
    await running.shows('ran')
    await away(3, running.outcome)
    const outcome = await running.outcome
    expect(outcome.code).toBe(0)
    const again = await program.run(['run', name, '-n', ...options, '--', 'echo', 'ran'], { url })
    expect(again).toMatchObject({ code: 0, stdout: 'ran\n' })
  })
})
