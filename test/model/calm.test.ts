import { describe, test } from 'vitest'
import { checkModel, timeLimitMs } from './model.js'
import { calmLaws, calmScope } from './worlds.js'

describe('interleavings, the store answers', () => {
  test('nested sections, siblings, several owners: exclusion, order, wake-ups, counts, no loss', {
    timeout: timeLimitMs,
  }, async () => {
    await checkModel(calmScope, calmLaws, undefined, 300)
  })
})
