import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.js'
import { calls } from './proxied-command.js'
import { Queue } from './queue.js'
import { Scene } from './scene.js'

const stages = [
  { where: 'ioredis 6, RESP3', open: () => Scene.standalone('ioredis-6') },
  { where: 'ioredis 5, RESP2', open: () => Scene.standalone('ioredis-5') },
  { where: 'cluster, ioredis 6', open: () => Scene.cluster('ioredis-6') },
  { where: 'cluster, ioredis 5', open: () => Scene.cluster('ioredis-5') },
]

let queue: Queue

/** A server that heard no goodbye still has the subscriptions of a connection that fell silent, until it finds that out. */
function serverNoticesSilence(): void {
  for (const { connections } of queue.scene.proxies)
    for (const connection of connections) if (connection.closed) connection.break()
}

const faults = stages.flatMap(({ where, open }) => [
  { where, open, fault: 'break' as const },
  { where, open, fault: 'silence' as const },
])

describe.each(faults)('X1: the reply of a hand-over is lost, $fault ($where)', ({ open, fault }) => {
  beforeEach(async () => {
    queue = new Queue(await open())
  })
  afterEach(() => queue.scene.end())

  test('the lock is released all the same, the heir and the next get in, each once', async () => {
    const [hold, waits] = await queue.form({}, {})
    const dropped = queue.scene.dropReply(calls('handOver'), fault)
    const releasing = hold.release()
    const entering = queue.getInAlone(waits)
    await dropped
    await releasing
    await entering
    expect(queue.told.toSorted()).toEqual([...Array(3).fill('acquired'), ...Array(3).fill('released')])
    serverNoticesSilence()
    await queue.scene.nothingLeft()
  })

  test('another client that waits may get in before; it is alone', async () => {
    const [hold, waits] = await queue.form({})
    const far = queue.scene.holdfast({}, { proxied: false }).lock(queue.scene.name)
    let inside = false
    const other = far.withLock(async () => {
      inside = true
      expect(Object.values(await queue.scene.holds())).toEqual(['1'])
      inside = false
    })
    await eventually(
      () => queue.lock.countWaitingClients(),
      (count) => count === 2,
    )
    const dropped = queue.scene.dropReply(calls('handOver'), fault)
    const releasing = hold.release()
    const entering = waits.map(async (wait) => {
      const mine = await wait
      expect(inside).toBe(false)
      expect(Object.values(await queue.scene.holds())).toEqual(['1'])
      await mine.release()
    })
    await dropped
    await Promise.all([releasing, other, ...entering])
    expect(queue.told).not.toContain('lost')
    serverNoticesSilence()
    await queue.scene.nothingLeft()
  })

  test('W4: the heir aborts meanwhile: nothing is left of it, and the next gets in', async () => {
    const abort = new AbortController()
    const [hold, [heir, ...others]] = await queue.form({ signal: abort.signal }, {})
    const dropped = queue.scene.dropReply(calls('handOver'), fault)
    const releasing = hold.release()
    await dropped
    abort.abort('no longer')
    await expect(heir).rejects.toBe('no longer')
    await releasing
    await queue.getInAlone(others)
    serverNoticesSilence()
    await queue.scene.nothingLeft()
  })
})
