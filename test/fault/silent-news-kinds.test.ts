/** A connection for news that fell silent, for every kind that waits: one release is missed, and what comes after it is heard. */
import { describe, expect, test } from 'vitest'
import { type Contend, kinds } from '../liveness/contended.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { Scene } from './scene.js'

/** Who is woken by that only has not heard. */
const LONG_LEASE_MS = 60_000
/** When the waiter looks for itself the first time; all kinds are there, and their holders release, before that. */
const shortLeaseMs = (): number => lasting(4_000)
const WOKEN_WITHIN_MS = 15_000

/** Nobody's lease bounds the wait at a latch: beside it the client waits for a lock, whose look finds it out. */
const latch: Contend = async (holder, name, leaseMs = LONG_LEASE_MS) => {
  await holder.countDownLatch(name).trySetCount(1)
  await holder.lock(`${name}:beside`).acquire({ leaseMs })
  return {
    free: () => holder.countDownLatch(name).countDown(),
    wait: async (holdfast) => {
      const beside = holdfast.lock(`${name}:beside`).acquire()
      // The last one is still waiting at the end.
      beside.catch(() => undefined)
      await holdfast.countDownLatch(name).await()
      return { release: async () => await (await beside).release() }
    },
  }
}

const multi: Contend = async (holder, name, leaseMs = LONG_LEASE_MS) => {
  const hold = await holder.lock(`${name}:b`).acquire({ leaseMs })
  return {
    free: () => hold.release(),
    wait: (holdfast) =>
      holdfast.multiLock([holdfast.lock(`${name}:a`), holdfast.lock(`${name}:b`)]).acquire(),
  }
}

const all: Readonly<Record<string, Contend>> = { ...Object.fromEntries(kinds), countDownLatch: latch, multi }

describe.each([
  { where: 'RESP2', client: { protocol: 2 } },
  { where: 'RESP3', client: { protocol: 3 } },
])('H14: after one announcement that was not heard ($where)', ({ client }) => {
  test('the next ones are, by waiters of every kind', async () => {
    const woken = Object.entries(all).map(async ([what, contend]) => {
      const scene = await Scene.standalone('ioredis-6')
      const name = `{${scene.name}}:${what}`
      const near = scene.holdfast({}, { proxied: false })
      const far = scene.holdfast({ commandTimeoutMs: 500 }, { client })
      const first = await contend(near, name, shortLeaseMs())
      const waiting = first.wait(far)
      // It has looked since it is subscribed, and sleeps.
      await eventually(() => {
        const done = scene.proxy.commands.filter(({ applied }) => applied)
        const from = done.findIndex(({ name }) => name === 'SUBSCRIBE')
        return from >= 0 && done.slice(from + 1).some(({ name }) => name.startsWith('EVAL') || name === 'GET')
      })
      for (const connection of scene.proxy.connections)
        if (connection.commands.some((command) => command.name === 'SUBSCRIBE')) connection.silence()
      await first.free()
      // It looks for itself, and has what nobody told it of.
      await (await waiting).release()
      const second = await contend(near, name, LONG_LEASE_MS)
      const again = second.wait(far)
      await eventually(() => far.metrics().waiting > 0)
      const inLine = async () => await near.readWriteLock(name).writeLock().countWaitingClients()
      await eventually(async () => (await scene.channels()).length > 0 || (await inLine()) === 1)
      const from = performance.now()
      await second.free()
      const got = await again
      const tookMs = performance.now() - from
      if (what !== 'countDownLatch') await got.release()
      await scene.end()
      return tookMs < WOKEN_WITHIN_MS ? '' : `${what}: ${tookMs}`
    })
    expect((await Promise.all(woken)).filter(Boolean)).toEqual([])
  }, 120_000)
})
