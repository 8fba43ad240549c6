import { describe, expect, inject, test } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import { bringServer } from '../servers/index.js'
import { duringAll, duringEach } from '../setup/during.js'
import { Scene } from './scene.js'

const refusal = { code: 'STORE_ERROR', reason: 'permission', transient: false }

describe.each(['ioredis-6', 'ioredis-5'] as const)('an ACL user without a permission (%s)', (library) => {
  const server = duringAll(() => bringServer({ flavour: inject('servers').flavour }))
  const scene = duringEach(() => Scene.standalone(library, server))

  /** A client that logs in as a user who may do everything, but for those rules. */
  async function restricted(rules: string[]): Promise<Holdfast> {
    const words = ['reset', 'on', '>secret', '~*', '&*', '+@all', ...rules]
    await scene.direct.call('ACL', 'SETUSER', 'restricted', ...words)
    return scene.holdfast({}, { client: { username: 'restricted', password: 'secret' } })
  }

  test.each([
    ['EVALSHA', ['-evalsha', '-eval']],
    ['the key', ['resetkeys', '~other:*']],
    ['a command within the script', ['-pexpire']],
  ])('for %s: every acquire is refused at once and leaves nothing', async (_what, rules) => {
    const holdfast = await restricted(rules)
    const sides = holdfast.readWriteLock(scene.name)
    for (const lock of [holdfast.lock(scene.name), sides.readLock(), sides.writeLock()]) {
      await expect(lock.acquire()).rejects.toMatchObject({ ...refusal, lockName: scene.name })
      await expect(lock.tryAcquire()).rejects.toMatchObject(refusal)
    }
    const keys = await scene.direct.keys(`*${scene.name}*`)
    expect(keys.filter((key) => key !== `holdfast_rw_fence:{${scene.name}}`)).toEqual([])
    await scene.nothingLeft()
  })

  test('for PUBSUB: releases cannot tell who listens, and calls in line still enter at each of them', async () => {
    const clients = [await restricted(['-pubsub']), await restricted(['-pubsub'])]
    // Less than the first lease: a call that missed a release would wait for as long.
    const enter = (holdfast: Holdfast): Promise<void> =>
      holdfast.fairLock(scene.name).withLock({ waitMs: 4_500 }, () => undefined)
    await Promise.all(
      [...clients, ...clients].map(async (holdfast) => {
        for (let section = 0; section < 25; section += 1) await enter(holdfast)
      }),
    )
    await scene.nothingLeft()
  })
})
