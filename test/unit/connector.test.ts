import { expect, test } from 'vitest'
import { Schedule } from '../../src/base/time/schedule.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import type { SqlConnection } from '../../src/stores/sql/connection.js'
import { Connector } from '../../src/stores/sql/connector.js'

/** A server that is never heard of. */
const silent: SqlConnection = {
  open: true,
  connect: () => new Promise(() => undefined),
  query: () => new Promise(() => undefined),
  onEnd: () => undefined,
  end: () => undefined,
  destroy: () => undefined,
}

test('what is under way when its client closes is rejected at once, and leaves no timer', async () => {
  const schedule = new Schedule(new VirtualClock(), (error) => {
    throw error
  })
  const connector = new Connector(
    { make: () => silent, introduce: async () => undefined, failureOf: (it) => it, isWornOut: () => true },
    { schedule, commandTimeoutMs: 3_000 },
  )
  const question = { statement: { name: '', text: 'SELECT 1' }, values: [], about: { command: 'query' } }
  const underWay = [rejectionOf(connector.open()), rejectionOf(connector.ask(silent, question))]
  connector.close()
  for (const each of underWay) expect(await each).toMatchObject({ reason: 'unreachable', transient: false })
  expect(schedule.size).toBe(0)
})
