import { describe, expect, test } from 'vitest'
import { WakeUpSemaphore } from '../../src/base/waiting/wake-up.js'
import { settle } from './scripted-port.js'

/** Whether a sleep on the semaphore ends by itself. */
async function passes(semaphore: WakeUpSemaphore): Promise<boolean> {
  let passed = semaphore.takePermit()
  if (!passed)
    semaphore.sleepOn(() => {
      passed = true
    })
  await settle()
  return passed
}

describe('WakeUpSemaphore', () => {
  test('a sleeper wakes with the next permit, and not before', async () => {
    const semaphore = new WakeUpSemaphore()
    let woken = false
    semaphore.sleepOn(() => {
      woken = true
    })
    await settle()
    expect(woken).toBe(false)
    semaphore.wake()
    await settle()
    expect(woken).toBe(true)
  })

  test('a permit that came while nobody slept lets the next sleeper pass, once', async () => {
    const semaphore = new WakeUpSemaphore()
    semaphore.wake()
    expect(await passes(semaphore)).toBe(true)
    expect(await passes(semaphore)).toBe(false)
  })

  test('two announcements are one permit', async () => {
    const semaphore = new WakeUpSemaphore()
    semaphore.wake()
    semaphore.wake()
    expect(await passes(semaphore)).toBe(true)
    expect(await passes(semaphore)).toBe(false)
  })

  test('drain takes the permit away', async () => {
    const semaphore = new WakeUpSemaphore()
    semaphore.wake()
    semaphore.drain()
    expect(await passes(semaphore)).toBe(false)
  })

  test('AsyncSemaphoreTest: a sleeper that left eats no permit', async () => {
    const semaphore = new WakeUpSemaphore()
    semaphore.sleepOn(() => undefined)
    semaphore.getUp()
    semaphore.wake()
    expect(await passes(semaphore)).toBe(true)
  })
})
