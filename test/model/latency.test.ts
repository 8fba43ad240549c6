import { describe, test } from 'vitest'
import { checkModel, timeLimitMs } from './model.js'
import { latencyLaws, latencyScope } from './worlds.js'

describe('interleavings, answers take time', () => {
  test('leases, force, late answers: exclusion, order, wake-ups, loss told in time, nothing left', {
    timeout: timeLimitMs,
  }, async () => {
    await checkModel(latencyScope, latencyLaws, undefined, 300)
  })
})
