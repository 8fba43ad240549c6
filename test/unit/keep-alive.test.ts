import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { KeepAlive } from '../../src/base/time/keep-alive.js'

/** Timers of this process that keep it alive. */
function anchors(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
}

describe('KeepAlive', () => {
  test('the process stays alive while something is awaited, and only then', async () => {
    const keepAlive = new KeepAlive()
    const before = anchors()
    const finish: Array<() => void> = []
    const works = [1, 2].map(() =>
      keepAlive.during(
        () =>
          new Promise<void>((resolve) => {
            finish.push(resolve)
          }),
      ),
    )
    expect(anchors()).toBe(before + 1)
    finish[0]?.()
    await works[0]
    expect(anchors()).toBe(before + 1)
    finish[1]?.()
    await works[1]
    expect(anchors()).toBe(before)
  })

  test('also when the work fails, or cannot even begin', async () => {
    const keepAlive = new KeepAlive()
    const before = anchors()
    await expect(keepAlive.during(() => Promise.reject(new Error('on purpose')))).rejects.toThrow(
      'on purpose',
    )
    await expect(
      keepAlive.during(() => {
        throw new Error('at once')
      }),
    ).rejects.toThrow('at once')
    expect(anchors()).toBe(before)
  })
})
