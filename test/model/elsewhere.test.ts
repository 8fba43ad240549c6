/** The same worlds with other stores. */
import { describe, test } from 'vitest'
import { checkModel, timeLimitMs } from './model.js'
import { calm, faults, latency, standstills } from './worlds.js'

// Those who wait stand in no line: a release is announced to all.
describe('interleavings without a line', { timeout: timeLimitMs }, () => {
  test.each([
    ['the store answers', calm],
    ['answers take time', latency],
    ['the store fails', faults],
  ])('%s', (_, world) => checkModel(world, 150, { line: false }))
})

// The network lies between clients and rows: grants in line are taken over by what the client was told.
describe('interleavings with rows across a network', { timeout: timeLimitMs }, () => {
  test.each([
    ['the store answers', calm],
    ['answers take time', latency],
    ['the store fails', faults],
    ['clients stand still, clocks run apart, leases are short', standstills],
  ])('%s', (_, world) => checkModel(world, 150, { farRows: true }))
})
