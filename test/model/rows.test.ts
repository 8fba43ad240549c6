/** The same worlds where the network lies between clients and rows: grants in line are taken over by what the client was told. */
import { describe, test } from 'vitest'
import { checkModel, timeLimitMs } from './model.js'
import { fates } from './slow-port.js'
import {
  calmLaws,
  calmScope,
  faultLaws,
  faultScope,
  latencyLaws,
  latencyScope,
  pauseScope,
  shortLaws,
} from './worlds.js'

describe('interleavings with rows across a network', () => {
  test('the store answers', { timeout: timeLimitMs }, async () => {
    await checkModel(calmScope, { ...calmLaws, farRows: true }, undefined, 150)
  })

  test('answers take time', { timeout: timeLimitMs }, async () => {
    await checkModel(latencyScope, { ...latencyLaws, farRows: true }, undefined, 150)
  })

  test('the store fails', { timeout: timeLimitMs }, async () => {
    await checkModel(faultScope, { ...faultLaws, farRows: true }, fates, 150)
  })

  test('clients stand still, clocks run apart, leases are short', { timeout: timeLimitMs }, async () => {
    await checkModel(pauseScope, { ...shortLaws, farRows: true }, fates, 150)
  })
})
