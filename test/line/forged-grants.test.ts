/**
 * Whoever may publish, and nothing else, lets nobody in beside the holder: not by a grant that it makes up, and not by one that it has heard.
 */
import { Cluster } from 'ioredis5'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Holdfast, Lock } from '../../src/index.js'
import { processChannelsOf } from '../../src/stores/redis/keys/companion-key.js'
import { holdsKeyOf } from '../../src/stores/redis/keys/read-write-keys.js'
import { clientIdOf, Scene } from '../fault/scene.js'
import { eventually } from '../setup/eventually.js'

const HEX = 'da39a3ee5e6b4b0d3255bfef95601890afd80709'

/** How a kind is held, and waited for; the mode of the place, and the lock's key. */
const kinds = {
  lock: [(client: Holdfast, name: string) => client.lock(name), 'x', plain],
  fencedLock: [(client: Holdfast, name: string) => client.fencedLock(name), 'f0', plain],
  fairLock: [(client: Holdfast, name: string) => client.fairLock(name), 'x', plain],
  readLock: [(client: Holdfast, name: string) => client.readWriteLock(name).readLock(), 'r', holdsKeyOf],
  writeLock: [(client: Holdfast, name: string) => client.readWriteLock(name).writeLock(), 'w', holdsKeyOf],
} as const

function plain(name: string): string {
  return name
}

describe.each(['standalone', 'cluster'] as const)('in %s', (where) => {
  let scene: Scene
  let waiting: Holdfast
  let holding: Holdfast
  beforeEach(async () => {
    scene = await Scene[where]()
    ;[waiting, holding] = [scene.holdfast(), scene.holdfast()]
  })
  afterEach(() => scene.end())

  async function publish(channel: string, message: string): Promise<void> {
    if (scene.direct instanceof Cluster) await scene.direct.spublish(channel, message)
    else await scene.direct.publish(channel, message)
  }

  function holderOf(kind: keyof typeof kinds): Lock {
    const name = kind === 'readLock' ? 'writeLock' : kind
    return kinds[name][0](holding, scene.name)
  }

  test.each(Object.keys(kinds) as Array<keyof typeof kinds>)(
    'faults A3: a grant of a %s that somebody has made up lets nobody in',
    async (kind) => {
      const [of, mode, keyOf] = kinds[kind]
      const key = keyOf(scene.name)
      const channel = processChannelsOf(key, where === 'cluster') + clientIdOf(waiting)
      const hold = await holderOf(kind).acquire()
      let entered = false
      const entering = of(waiting, scene.name)
        .acquire()
        .then((mine) => {
          entered = true
          return mine
        })
      await eventually(
        () => scene.processChannels(waiting),
        (channels) => channels.length > 0,
      )
      const places = async (): Promise<string[]> =>
        await scene.direct.zrange(
          keyOf === plain ? `holdfast_line:{${key}}` : key.replace('holdfast_rw:', 'holdfast_rw_line:'),
          0,
          -1,
        )
      await eventually(places, (found) => found.length > 0)
      const [seconds, micros] = await time()
      const later = (seconds + 1) * 1_000_000 + micros
      for (let number = 0; number < 20; number += 1) {
        const grant = `${later} 5000 ${mode}:${clientIdOf(waiting)}:${number} - ${key}`
        for (const message of [`1 ${grant}`, `1 ${HEX} ${grant}`, `1 - ${grant}`, `1  ${grant}`])
          await publish(channel, message)
      }
      // It has heard them all, and asked.
      for (let look = 0; look < 20; look += 1) await of(waiting, scene.name).isLocked()
      expect(entered).toBe(false)
      hold.assertHeld()
      await hold.release()
      await (await entering).release()
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
      await eventually(
        () => scene.direct.zcard(`holdfast_line:{${scene.name}}`),
        (places) => places > 0,
      )
      let entered = false
      entering.then(
        () => {
          entered = true
        },
        () => undefined,
      )
      for (const message of heard) await publish(channel, message)
      for (let look = 0; look < 20; look += 1) await waiting.lock(scene.name).isLocked()
      expect(entered).toBe(false)
      await hold.release()
      await (await entering).release()
    }
    await enter()
    expect(heard).toContainEqual(expect.stringContaining(owner))
    await enter()
    listener.disconnect()
  })

  async function time(): Promise<[number, number]> {
    const { direct } = scene
    const node = direct instanceof Cluster ? direct.nodes('master')[0] : direct
    const [seconds = 0, micros = 0] = (await node?.time()) ?? []
    return [Number(seconds), Number(micros)]
  }
})
