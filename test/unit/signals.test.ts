import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { onAbort } from '../../src/base/waiting/signals.js'
import { Holdfast } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'

test('H30: however many share a signal, it is listened to once; all are called, and those that left are not', () => {
  const { signal, abort } = controllerOf()
  const called: number[] = []
  const stops = Array.from({ length: 100 }, (_, index) => onAbort(signal, () => called.push(index)))
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  stops[1]?.()
  stops[1]?.()
  abort()
  expect(called).toEqual(Array.from({ length: 100 }, (_, index) => index).filter((index) => index !== 1))
})

test('W4: with nobody left it is not listened to, until the next comes', () => {
  const { signal, abort } = controllerOf()
  onAbort(signal, () => undefined)()
  expect(getEventListeners(signal, 'abort')).toEqual([])
  let called = 0
  onAbort(signal, () => {
    called += 1
  })
  abort()
  expect([called, getEventListeners(signal, 'abort').length]).toEqual([1, 0])
})

test('H30: one signal for many waits: one listener, and it ends them all', async () => {
  const holdfast = new Holdfast(new MemoryStore())
  const { signal, abort } = controllerOf()
  const locks = [holdfast.lock('lock'), holdfast.fairLock('fair'), holdfast.semaphore('none')]
  const holds = [await holdfast.lock('lock').acquire(), await holdfast.fairLock('fair').acquire()]
  const waits = Array.from({ length: 30 }, (_, index) => locks[index % 3]?.acquire({ signal }))
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  abort('enough')
  for (const outcome of await Promise.allSettled(waits)) expect(outcome).toMatchObject({ reason: 'enough' })
  expect(getEventListeners(signal, 'abort')).toEqual([])
  for (const hold of holds) await hold.release()
  await holdfast.close()
})

function controllerOf(): { signal: AbortSignal; abort: (reason?: unknown) => void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) }
}
