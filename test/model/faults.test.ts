import { describe, test } from 'vitest'
import { checkModel, timeLimitMs } from './model.js'
import { fates } from './slow-port.js'
import { faultLaws, faultScope, pauseScope, shortLaws } from './worlds.js'

describe('interleavings, the store fails', () => {
  test('X1, W4: replies lost, commands lost, timeouts: no stray hold is left', {
    timeout: timeLimitMs,
  }, async () => {
    await checkModel(faultScope, faultLaws, fates, 300)
  })

  test('L3, L4: the same with leases so short that they end meanwhile', {
    timeout: timeLimitMs,
  }, async () => {
    await checkModel(faultScope, shortLaws, fates, 300)
  })

  test('L3: clients that stand still, clocks that run apart', { timeout: timeLimitMs }, async () => {
    await checkModel(pauseScope, shortLaws, fates, 300)
  })
})
