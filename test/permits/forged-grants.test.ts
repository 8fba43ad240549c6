/** Whoever may publish, and nothing else, lets no more callers in than there are permits. */
import { Cluster } from 'ioredis5'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import { processChannelsOf } from '../../src/stores/redis/keys/companion-key.js'
import { semaphoreChannelOf } from '../../src/stores/redis/keys/semaphore-keys.js'
import { clientIdOf, Scene } from '../fault/scene.js'
import { eventually } from '../setup/eventually.js'

const HEX = 'da39a3ee5e6b4b0d3255bfef95601890afd80709'
const WAITERS = 3

const kinds = {
  semaphore: [(client: Holdfast, name: string) => client.semaphore(name, 1), 'holdfast_semaphore_line'],
  'permit-expirable semaphore': [
    (client: Holdfast, name: string) => client.permitExpirableSemaphore(name, 1),
    'holdfast_permits_line',
  ],
} as const
type Kind = keyof typeof kinds

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

  test.each(Object.keys(kinds) as Kind[])(
    'faults A3: grants of a %s that somebody has made up, or sends again, let nobody in',
    async (kind) => {
      const [of, line] = kinds[kind]
      const key = scene.name
      const channel = processChannelsOf(key, where === 'cluster') + clientIdOf(waiting)
      const semaphore = of(waiting, key)
      const hold = await of(holding, key).acquire()
      let inside = 1
      let most = 1
      const entering = Array.from({ length: WAITERS }, async () => {
        const mine = await semaphore.acquire()
        inside += 1
        most = Math.max(most, inside)
        for (let look = 0; look < 5; look += 1) await semaphore.availablePermits()
        inside -= 1
        await mine.release()
      })
      const places = (): Promise<string[]> => scene.direct.zrange(`${line}:{${key}}`, 0, -1)
      await eventually(places, (found) => found.length === WAITERS)
      // Later than all answers that the process has had.
      const laterUs = (Date.now() + 3_600_000) * 1_000
      for (const place of await places())
        for (const proof of ['', `${HEX} `, '- ', ' '])
          await publish(channel, `1 ${proof}${laterUs} 5000 ${place} - ${key}`)
      const all = (await places()).map((place) => ` ${place} -`).join('')
      await publish(channel, `${WAITERS} ${HEX} ${laterUs} 5000${all} ${key}`)
      await publish(semaphoreChannelOf(key), '99')
      for (let look = 0; look < 20; look += 1) await semaphore.availablePermits()
      expect(most).toBe(1)
      hold.assertHeld()
      inside -= 1
      await hold.release()
      await Promise.all(entering)
      expect(most).toBe(1)
      expect(await semaphore.availablePermits()).toBe(1)
    },
  )
})
