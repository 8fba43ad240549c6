import { describe, expect, test } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { eventsOf } from './heard.js'
import { Scene } from './scene.js'

/** Small: a command's time (3 s by default) is longer than what is left of the lease when it is renewed. */
const WATCHDOG_MS = 3_500

type Take = (holdfast: Holdfast, name: string) => Promise<{ assertHeld(): void; release(): Promise<void> }>

const kinds: ReadonlyArray<readonly [string, Take]> = [
  ['lock', (holdfast, name) => holdfast.lock(name).acquire()],
  ['writeLock', (holdfast, name) => holdfast.readWriteLock(name).writeLock().acquire()],
  [
    'semaphore',
    async (holdfast, name) => {
      await holdfast.semaphore(name).trySetPermits(1)
      return await holdfast.semaphore(name).acquire()
    },
  ],
]

describe('L4: one connection that falls silent while a lock is held', () => {
  const scene = duringEach(() => Scene.standalone())

  async function outlivesSilence(holdfast: Holdfast, take: Take): Promise<void> {
    const heard = eventsOf(holdfast, ['suspended', 'renewed', 'lost'])
    const hold = await take(holdfast, scene.name)
    await eventually(() => heard.includes('renewed'))
    for (const connection of scene.proxy.open) connection.silence()
    heard.length = 0
    await eventually(() => heard.includes('renewed') || heard.includes('lost'))
    expect(heard.slice(0, 2)).toEqual(['suspended', 'renewed'])
    hold.assertHeld()
    await hold.release()
  }

  test.each(kinds)('H7: it is renewed on a new one (%s)', async (_kind, take) => {
    await outlivesSilence(scene.holdfast({ watchdogMs: WATCHDOG_MS }), take)
    for (const key of await scene.direct.keys(`*${scene.name}*`)) await scene.direct.del(key)
  })

  test('H7: by the thread as well', async () => {
    await outlivesSilence(
      scene.holdfast({ watchdogMs: WATCHDOG_MS, watchdogThread: true }),
      async (holdfast, name) => await holdfast.lock(name).acquire(),
    )
  })
})
