import { describe, test } from 'vitest'
import {
  calm,
  checkModel,
  faults,
  latency,
  renewals,
  shortLeases,
  standstills,
  timeLimitMs,
} from './model.js'

describe('interleavings', { timeout: timeLimitMs }, () => {
  test.each([
    ['nested sections, siblings, several owners: exclusion, order, wake-ups, counts, no loss', calm],
    ['L1, L2: renewals on top: nothing is lost, however holds nest', renewals],
    ['leases, force, late answers: exclusion, order, wake-ups, loss told in time, nothing left', latency],
    ['X1, W4: replies lost, commands lost, timeouts: no stray hold is left', faults],
    ['L3, L4: the same with leases so short that they end meanwhile', shortLeases],
    ['L3: clients that stand still, clocks that run apart', standstills],
  ])('%s', (_, world) => checkModel(world, 300))
})

// Without a line, a release is announced to all. Across a network, grants in line are taken over by what the client was told.
describe.each([
  ['without a line', { line: false }, {}],
  ['with rows across a network', { farRows: true }, { standstills }],
])('interleavings %s', { timeout: timeLimitMs }, (_, laws, more) => {
  test.each(Object.entries({ calm, latency, faults, ...more }))('%s', (_, world) =>
    checkModel(world, 150, laws),
  )
})
