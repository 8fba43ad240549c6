import { expect, test } from 'vitest'
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

test.each<[string, Array<'wake' | 'drain'>, boolean[]]>([
  ['a permit that came while nobody slept lets the next sleeper pass, once', ['wake'], [true, false]],
  ['two announcements are one permit', ['wake', 'wake'], [true, false]],
  ['drain takes the permit away', ['wake', 'drain'], [false]],
])('WakeUpSemaphore: %s', async (_, calls, passed) => {
  const semaphore = new WakeUpSemaphore()
  for (const call of calls) semaphore[call]()
  for (const each of passed) expect(await passes(semaphore)).toBe(each)
})

test('AsyncSemaphoreTest: a sleeper that left eats no permit', async () => {
  const semaphore = new WakeUpSemaphore()
  semaphore.sleepOn(() => undefined)
  semaphore.getUp()
  semaphore.wake()
  expect(await passes(semaphore)).toBe(true)
})
