import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { Scene } from '../fault/scene.js'
import { freePort } from '../servers/port.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { programOf } from '../setup/programs.js'

const fixture = new URL('./process.fixture.ts', import.meta.url)

/** A process that has nothing more to do ends at once; this is what a busy machine may add. */
const PROMPTLY_MS = 1_500

class Child {
  readonly lines: string[] = []
  readonly #exit: Promise<unknown[]>
  #lastLineAt = 0

  constructor(private readonly child: ChildProcess) {
    this.#exit = once(child, 'close')
    if (child.stdout) {
      createInterface(child.stdout).on('line', (line) => {
        this.lines.push(line)
        this.#lastLineAt = performance.now()
      })
    }
  }

  async said(line: string): Promise<void> {
    await eventually(
      () => this.lines,
      (lines) => lines.includes(line),
    )
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  /** Its exit code, and how long after its last word it ended. */
  async ended(): Promise<{ code: unknown; afterMs: number }> {
    const [code] = await this.#exit
    return { code, afterMs: performance.now() - this.#lastLineAt }
  }

  kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): void {
    this.child.kill(signal)
  }
}

describe.each(['ioredis-6', 'ioredis-5'] as const)('a process with a Holdfast (%s)', (library) => {
  const scene = duringEach(() => Scene.standalone(library))
  const children: Child[] = []
  afterEach(() => {
    for (const child of children.splice(0)) child.kill()
  })

  function start(
    scenario: string,
    port = inject('servers').standalone.port,
    what = '',
    name = scene.name,
  ): Child {
    const words = ['--expose-gc', programOf(fixture), scenario, String(port), library, name, what]
    const child = new Child(spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] }))
    children.push(child)
    return child
  }

  async function endsPromptly(child: Child): Promise<void> {
    const { code, afterMs } = await child.ended()
    expect(code).toBe(0)
    expect(afterMs).toBeLessThan(PROMPTLY_MS)
  }

  test.each(['sentinel', 'cluster'] as const)(
    'faults B12: that is idle ends by itself, whatever its client is to watch over (%s)',
    async (what) => {
      const { sentinel, cluster } = inject('servers')
      const [node] = what === 'sentinel' ? sentinel.sentinels : cluster.startupNodes
      const child = start('group', node?.port, what)
      await child.said('released')
      await endsPromptly(child)
    },
  )

  test('that holds and does nothing else ends by itself; the lock ends with its lease', async () => {
    const child = start('holding')
    await child.said('held')
    await endsPromptly(child)
    expect(await scene.ttl()).toBeLessThanOrEqual(3_000)
    await scene.direct.del(scene.name)
  })

  test('that awaits a lock stays alive until it has it; one that is idle ends by itself, without close()', async () => {
    const hold = await scene.holdfast().lock(scene.name).acquire()
    const child = start('pending')
    await child.said('waiting')
    // Nothing but the wait itself keeps it alive: one that is idle starts after it, and ends before it.
    const idle = start('idle', undefined, undefined, `${scene.name}:other`)
    await endsPromptly(idle)
    expect(idle.lines).toEqual(['released'])
    expect(child.running).toBe(true)
    await hold.release()
    await child.said('acquired')
    await endsPromptly(child)
    await scene.direct.del(scene.name)
  })

  test.each([
    ['countDown', '1'],
    ['trySetCount', 'false'],
    ['delete', 'true'],
    ['trySetPermits', 'true'],
    ['addPermits', 'undefined'],
    ['reducePermits', 'undefined'],
    ['drainPermits', '0'],
    ['release', 'undefined'],
    ['releaseIfExists', 'false'],
    ['setPermits', 'undefined'],
    ['updateLeaseTime', 'false'],
    ['tryRelease', 'false'],
  ])('H8: that awaits a change of a number stays alive until it is made (%s)', async (what, answer) => {
    const near = scene.holdfast({}, { proxied: false })
    const latch = ['countDown', 'trySetCount', 'delete'].includes(what)
    if (latch) await near.countDownLatch(scene.name).trySetCount(2)
    scene.proxy.refuse()
    const child = start('change', scene.proxy.port, what)
    await eventually(() => scene.proxy.refused >= 3 || !child.running)
    expect(child.running).toBe(true)
    scene.proxy.heal()
    await child.said(`answer:${answer}`)
    await endsPromptly(child)
    if (what === 'countDown') expect(await near.countDownLatch(scene.name).count()).toBe(1)
    for (const key of await scene.direct.keys(`*${scene.name}*`)) await scene.direct.del(key)
  })

  test('H5: that is told to end ends its section, gives the lock back and exits', async () => {
    const child = start('draining')
    await child.said('held')
    child.kill('SIGTERM')
    await child.said('section-ended')
    await endsPromptly(child)
    expect(child.lines).not.toContain('refused')
    await scene.nothingLeft()
  })

  test('H26: that let go of holds without a release is told of each, with where it was taken', async () => {
    const child = start('dropped')
    await child.said(['a', 'b', 'c', 'd:0'].map((each) => `${scene.name}:${each}`).join())
    await endsPromptly(child)
    for (const key of await scene.direct.keys(`${scene.name}*`)) await scene.direct.del(key)
  })

  test('whose wait was in vain ends by itself', async () => {
    const hold = await scene.holdfast().lock(scene.name).acquire()
    const child = start('timed-out')
    await child.said('timed-out')
    await endsPromptly(child)
    await hold.release()
    await scene.nothingLeft()
  })

  test('after close: no timer, no socket, no channel, no connection is left', async () => {
    const child = start('closed')
    await child.said('wait-ended')
    await child.said('aborted')
    await endsPromptly(child)
    expect(await scene.channels()).toEqual([])
    await scene.direct.del(scene.name)
  })

  test('after close when the server was never reached: no timer is left', async () => {
    const child = start('unreachable', await freePort())
    await child.said('unreachable')
    await child.said('closed')
    await endsPromptly(child)
  })
})
