/**
 * A release that a waiter could not hear is made up for by finding that out and looking, not by waiting for a lease (rule W7): the
 * table "Until a waiter is woken" of docs/guarantees.md, for every kind that waits for an announcement.
 */
import { describe, test } from 'vitest'
import { stage } from '../fault/stage.js'
import { eventually } from '../setup/eventually.js'
import { kinds, sleepers } from './contended.js'

/** Far below the lease that the holders have. */
const WOKEN_WITHIN_MS = 10_000

describe.each(['ioredis-6', 'ioredis-5'] as const)('W7: a release that was not heard (%s)', (library) => {
  const { scene } = stage(library)

  const faults: ReadonlyArray<readonly [string, () => void, () => void]> = [
    ['its connections break', () => scene.proxy.breakAll(), () => undefined],
    [
      'its connections break and are refused for a while',
      () => {
        scene.proxy.refuse()
        scene.proxy.breakAll()
      },
      () => scene.proxy.heal(),
    ],
  ]

  test.each(faults)(
    'because %s: every kind of waiter is woken long before the lease ends',
    async (_what, strike, heal) => {
      const holder = scene.holdfast({}, { proxied: false })
      const { free, allWoken } = await sleepers(holder, scene.holdfast(), scene.name)
      await eventually(async () => (await scene.channels()).length >= kinds.length - 1)
      strike()
      await free()
      heal()
      await allWoken(WOKEN_WITHIN_MS)
    },
  )
})
