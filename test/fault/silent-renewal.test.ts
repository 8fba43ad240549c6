import { describe, expect, test } from 'vitest'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { eventsOf } from './heard.js'
import { Scene } from './scene.js'
import { takes } from './takes.js'

/** Small: a command's time (3 s by default) is longer than what is left of the lease when it is renewed. */
const WATCHDOG_MS = 3_500

describe('L4: one connection that falls silent while a lock is held', () => {
  const scene = duringEach(() => Scene.standalone())

  test.each([
    ['lock', false],
    ['writeLock', false],
    ['semaphore', false],
    ['lock', true],
  ] as const)('H7: it is renewed on a new one (%s, by the thread: %s)', async (kind, watchdogThread) => {
    const holdfast = scene.holdfast({ watchdogMs: WATCHDOG_MS, watchdogThread })
    const heard = eventsOf(holdfast, ['suspended', 'renewed', 'lost'])
    const hold = await takes[kind](holdfast, scene.name)
    await eventually(() => heard.includes('renewed'))
    for (const connection of scene.proxy.open) connection.silence()
    heard.length = 0
    await eventually(() => heard.includes('renewed') || heard.includes('lost'))
    expect(heard.slice(0, 2)).toEqual(['suspended', 'renewed'])
    hold.assertHeld()
    await hold.release()
    for (const key of await scene.direct.keys(`*${scene.name}*`)) await scene.direct.del(key)
  })
})
