import fc from 'fast-check'
import type { Owner } from '../../src/base/identity/owner.js'
import type { Side } from '../setup/port-client.js'

export const CLIENTS = 3
const OWNERS_EACH = 2

/** Who takes part: the owners of all clients, by number. */
export const owners: readonly Owner[] = Array.from(
  { length: CLIENTS * OWNERS_EACH },
  (_, index): Owner => `client${index % CLIENTS}:${index}`,
)

const side = fc.constantFrom<Side>('read', 'write')
const who = fc.nat(owners.length - 1)

const steps = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('acquire' as const),
      side,
      who,
      leaseMs: fc.integer({ min: 10, max: 200 }),
      waits: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constantFrom('release' as const, 'abandon' as const, 'renew' as const),
      side,
      who,
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('force' as const), side }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('pass' as const), ms: fc.nat(60) }) },
)

/** One step of a program over one lock: what somebody asks, or that time passes. */
export type Step = typeof steps extends fc.Arbitrary<infer Each> ? Each : never

export const programs = fc.array(steps, { minLength: 1, maxLength: 60 })
