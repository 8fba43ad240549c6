import process from 'node:process'
import { expect, test } from 'vitest'
import { KeepAlive } from '../../src/base/time/keep-alive.js'
import { Latch } from '../../src/conformance/latch.js'

/** Timers of this process that keep it alive. */
function anchors(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
}

test('the process stays alive while something is awaited, and only then', async () => {
  const keepAlive = new KeepAlive()
  const before = anchors()
  const latches = [new Latch(), new Latch()]
  const works = latches.map(({ opened }) => keepAlive.during(() => opened))
  expect(anchors()).toBe(before + 1)
  latches[0]?.open()
  await works[0]
  expect(anchors()).toBe(before + 1)
  latches[1]?.open()
  await works[1]
  expect(anchors()).toBe(before)
})

test('also when the work fails, or cannot even begin', async () => {
  const keepAlive = new KeepAlive()
  const before = anchors()
  const fail = (): never => {
    throw new Error('on purpose')
  }
  for (const work of [async () => fail(), fail])
    await expect(keepAlive.during(work)).rejects.toThrow('on purpose')
  expect(anchors()).toBe(before)
})
