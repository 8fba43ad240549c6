import { expect, test } from 'vitest'
import { now } from '../history/event.js'
import { Presence } from './presence.js'

test('a process that is stopped while its hold is asked seems certain for no longer than the hold said', () => {
  const deadline = now() + 50
  const signal = new AbortController().signal
  const stop = (): void => {
    const until = now() + 5
    while (now() < until);
  }
  // The answer was right when it was made; the process went on later.
  const hold = {
    signal,
    remainingMs: () => {
      const left = deadline - now()
      stop()
      return left
    },
    assertHeld: stop,
  }
  const until: number[] = []
  const presence = new Presence(1, ['a'], hold, 0, (told, at = now()) => {
    if ('left' in told) until.push(at + told.left)
  })
  presence.enter(undefined)
  presence.look()
  expect(until).toHaveLength(2)
  for (const each of until) expect(each).toBeLessThanOrEqual(deadline)
})
