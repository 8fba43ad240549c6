/** The same worlds where those who wait stand in no line: a release is announced to all. */
import { describe, test } from 'vitest'
import { checkModel, timeLimitMs } from './model.js'
import { fates } from './slow-port.js'
import { calmLaws, calmScope, faultLaws, faultScope, latencyLaws, latencyScope } from './worlds.js'

describe('interleavings without a line', () => {
  test('the store answers', { timeout: timeLimitMs }, async () => {
    await checkModel(calmScope, { ...calmLaws, line: false }, undefined, 150)
  })

  test('answers take time', { timeout: timeLimitMs }, async () => {
    await checkModel(latencyScope, { ...latencyLaws, line: false }, undefined, 150)
  })

  test('the store fails', { timeout: timeLimitMs }, async () => {
    await checkModel(faultScope, { ...faultLaws, line: false }, fates, 150)
  })
})
