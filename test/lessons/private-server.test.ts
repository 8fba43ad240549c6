/** What others' locks did to a server, on one of its own: one that hangs, one that announces at a cost, and a proxy that knows no announcements. */
import process from 'node:process'
import { afterEach, expect, test } from 'vitest'
import { Scene } from '../fault/scene.js'
import { PrivateServer } from '../redisson/private-server.js'
import { clientLibraries } from '../setup/clients.js'
import { duringAll } from '../setup/during.js'
import { lasting } from '../setup/lasting.js'
import { span } from '../setup/span.js'

const place = duringAll(() => PrivateServer.bring())
afterEach(() => place.tidy())

const COMMANDS = ['publish', 'spublish', 'subscribe', 'ssubscribe', 'psubscribe'] as const

async function announcements(): Promise<number> {
  const counts = await Promise.all(COMMANDS.map((command) => place.calls(command)))
  return counts.reduce((sum, count) => sum + count, 0)
}

test('redisson#3349, #4105: a spin lock announces nothing and listens to nothing, and its waiters get it all the same', async () => {
  const before = await announcements()
  const holdfasts = Array.from({ length: 5 }, () => place.holdfast())
  let inside = 0
  const sections = holdfasts.flatMap((holdfast) =>
    Array.from({ length: 10 }, () =>
      holdfast.spinLock('spin').withLock(async () => {
        inside += 1
        await place.ask('PING')
        expect(inside).toBe(1)
        inside -= 1
      }),
    ),
  )
  await Promise.all(sections)
  expect(await announcements()).toBe(before)
  expect(await place.ask('PUBSUB', 'NUMPAT')).toBe(0)
  expect(await place.ask('PUBSUB', 'CHANNELS')).toEqual([])
})

// As twemproxy, and others that know the commands with keys alone.
test.each(clientLibraries)(
  'faults B16: behind a proxy that hangs up on what it does not know, a spin lock works (%s)',
  async (library) => {
    const scene = await Scene.standalone(library)
    const unknown = new Set(['CLIENT', 'HELLO', 'INFO', 'SELECT', 'SUBSCRIBE', 'PUBLISH', 'PUBSUB'])
    scene.proxy.hangUpOn(({ name }) => unknown.has(name))
    const client = { protocol: 2, enableReadyCheck: false, disableClientInfo: true }
    const [one, other] = [1, 2].map(() =>
      scene.holdfast({ watchdogMs: lasting(1_500) }, { client }).spinLock(scene.name),
    )
    const hold = await one?.acquire()
    expect(await other?.tryAcquire()).toBeNull()
    const waiting = other?.acquire({ waitMs: 10_000 })
    await hold?.release()
    const next = await waiting
    next?.assertHeld()
    await next?.release()
    expect(scene.proxy.connections.filter(({ closed }) => closed)).toEqual([])
    await scene.end()
  },
)

test('ioredis: a server that hangs with many commands under way prints no warning of leaking listeners', async () => {
  const warnings: string[] = []
  const onWarning = ({ name: kind }: Error): number => warnings.push(kind)
  process.on('warning', onWarning)
  try {
    const holdfast = place.holdfast({ commandTimeoutMs: 100 })
    const holds = await Promise.all(
      Array.from({ length: 30 }, (_, index) => holdfast.lock(`outage:${index}`).acquire()),
    )
    await place.server.pause()
    const releases = Promise.all(
      holds.map(async (hold, index) => {
        // Sent one after the other, so that their deadlines pass one after the other too.
        await span(index * 5)
        await hold.release()
      }),
    )
    await span(500)
    await place.server.resume()
    await releases
    expect(warnings).toEqual([])
  } finally {
    process.off('warning', onWarning)
  }
})
