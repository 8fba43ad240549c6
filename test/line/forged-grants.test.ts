/**
 * Whoever may publish, and nothing else, lets nobody in beside the holder: not by a grant that it makes up, and not by one that it has heard.
 */
import { Cluster } from 'ioredis5'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import { processChannelsOf } from '../../src/stores/redis/keys/companion-key.js'
import { holdsKeyOf } from '../../src/stores/redis/keys/read-write-keys.js'
import { semaphoreChannelOf } from '../../src/stores/redis/keys/semaphore-keys.js'
import { clientIdOf, Scene } from '../fault/scene.js'
import { takes } from '../fault/takes.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'

const HEX = 'da39a3ee5e6b4b0d3255bfef95601890afd80709'
const CALLS = 3

/** How many places three calls of a process have, and in which line. */
const kinds = [
  ['lock', 1, 'line'],
  ['fencedLock', 1, 'line'],
  ['fairLock', CALLS, 'line'],
  ['readLock', CALLS, 'rw_line'],
  ['writeLock', CALLS, 'rw_line'],
  ['semaphore', CALLS, 'semaphore_line'],
  ['permitExpirableSemaphore', CALLS, 'permits_line'],
] as const

describe.each(['standalone', 'cluster'] as const)('in %s', (where) => {
  let waiting: Holdfast
  let holding: Holdfast
  const scene = duringEach(() => Scene[where]())
  beforeEach(() => {
    ;[waiting, holding] = [scene.holdfast(), scene.holdfast()]
  })

  async function publish(channel: string, message: string): Promise<void> {
    if (scene.direct instanceof Cluster) await scene.direct.spublish(channel, message)
    else await scene.direct.publish(channel, message)
  }

  /** Whatever was published before has been heard. */
  async function heardAll(): Promise<void> {
    for (let look = 0; look < 20; look += 1) await waiting.lock(`{${scene.name}}:look`).isLocked()
  }

  test.each(kinds)(
    'faults A3: grants of a %s that somebody has made up, or sends again, let nobody in',
    async (kind, waits, line) => {
      const key = line === 'rw_line' ? holdsKeyOf(scene.name) : scene.name
      if (kind === 'semaphore' || kind === 'permitExpirableSemaphore')
        await holding[kind](scene.name).trySetPermits(1)
      const hold = await takes[kind === 'readLock' ? 'writeLock' : kind](holding, scene.name)
      let inside = 1
      let most = 1
      let entered = 0
      const entering = Array.from({ length: CALLS }, async () => {
        const mine = await takes[kind](waiting, scene.name)
        inside += 1
        most = Math.max(most, kind === 'readLock' ? 1 : inside)
        entered += 1
        await heardAll()
        inside -= 1
        await mine.release()
      })
      const places = (): Promise<string[]> => scene.direct.zrange(`holdfast_${line}:{${scene.name}}`, 0, -1)
      await eventually(places, (found) => found.length === waits)
      const channel = processChannelsOf(key, where === 'cluster') + clientIdOf(waiting)
      // Later than all answers that the process has had.
      const laterUs = (Date.now() + 3_600_000) * 1_000
      const own = await places()
      const guessed = Array.from({ length: 20 }, (_, number) => `x:${clientIdOf(waiting)}:${number}`)
      for (const place of [...own, ...guessed])
        for (const proof of ['', `${HEX} `, '- ', ' '])
          await publish(channel, `1 ${proof}${laterUs} 5000 ${place} - ${key}`)
      const all = own.map((place) => ` ${place} -`).join('')
      await publish(channel, `${own.length} ${HEX} ${laterUs} 5000${all} ${key}`)
      await publish(semaphoreChannelOf(key), '99')
      await heardAll()
      expect(entered).toBe(0)
      hold.assertHeld()
      inside -= 1
      await hold.release()
      await Promise.all(entering)
      expect(most).toBe(1)
    },
  )

  test('faults A3: a grant that somebody has heard, and sends again, lets nobody in', async () => {
    if (scene.direct instanceof Cluster) return
    const channel = processChannelsOf(scene.name, false) + clientIdOf(waiting)
    const heard: string[] = []
    const listener = scene.direct.duplicate()
    await listener.subscribe(channel)
    listener.on('message', (_, message: string) => heard.push(message))
    const owner = waiting.owner()
    const enter = async (): Promise<void> => {
      const hold = await holding.lock(scene.name).acquire()
      const entering = waiting.lock(scene.name).acquire({ owner })
      await eventually(async () => (await scene.direct.zcard(`holdfast_line:{${scene.name}}`)) > 0)
      let entered = false
      void entering.then(() => {
        entered = true
      })
      for (const message of heard) await publish(channel, message)
      await heardAll()
      expect(entered).toBe(false)
      await hold.release()
      await (await entering).release()
    }
    await enter()
    expect(heard).toContainEqual(expect.stringContaining(owner))
    await enter()
    listener.disconnect()
  })
})
