import { describe, test } from 'vitest'
import { checkModel, timeLimitMs } from './model.js'
import { calmLaws, calmScope, renewalLaws, renewalScope } from './worlds.js'

describe('interleavings, the store answers', () => {
  test('nested sections, siblings, several owners: exclusion, order, wake-ups, counts, no loss', {
    timeout: timeLimitMs,
  }, async () => {
    await checkModel(calmScope, calmLaws, undefined, 300)
  })

  test('L1, L2: renewals on top: nothing is lost, however holds nest', { timeout: timeLimitMs }, async () => {
    await checkModel(renewalScope, renewalLaws, undefined, 300)
  })
})
