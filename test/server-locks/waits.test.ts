/** What a call that waits in the server hears of that server meanwhile. */
import { expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { StoreError } from '../../src/index.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { ServerLockPort } from '../../src/stores/server-locks/lock-port.js'
import { Places } from '../../src/stores/server-locks/places.js'
import type { ServerLocks } from '../../src/stores/server-locks/server-locks.js'
import type { SqlConnection } from '../../src/stores/sql/connection.js'
import { Connector } from '../../src/stores/sql/connector.js'
import { rowSettings } from '../setup/row-settings.js'

const connection: SqlConnection = {
  open: true,
  connect: async () => undefined,
  query: async () => [],
  onEnd: () => undefined,
  end: () => undefined,
  destroy: () => undefined,
}

/** Waits end by themselves after their time, or when the test breaks them. */
function scene() {
  const clock = new VirtualClock()
  const settings = {
    ...rowSettings(clock, { clientId: 'client', firstLeaseMs: 10_000 }),
    commandTimeoutMs: 3_000,
  }
  let breakWait = (_: StoreError): void => undefined
  const dialect = {
    make: () => connection,
    introduce: async () => undefined,
    failureOf: (error: unknown) => error,
    isWornOut: () => true,
  }
  const locks: ServerLocks = {
    connector: new Connector(dialect, settings),
    lease: async () => undefined,
    attempt: async () => ({ taken: false }),
    wait: (_connection, _name, waitMs) =>
      new Promise((resolve, reject) => {
        settings.schedule.at(clock.now() + waitMs, () => resolve(false))
        breakWait = reject
      }),
    free: async () => undefined,
    idOf: async () => '7',
    holderOf: async () => undefined,
    waitingFor: async () => undefined,
    end: async () => undefined,
  }
  const heardAt: number[] = []
  const caller = {
    waitsUntil: Infinity,
    left: new AbortController().signal,
    hears: () => heardAt.push(clock.now()),
  }
  const port = new ServerLockPort(new Places(locks, settings), locks)
  const request = {
    name: 'name',
    owner: 'aa:1',
    heldBefore: 0,
    leaseMs: 30_000,
    waits: true,
    caller,
  } as const
  const acquired = rejectionOf(port.acquire(request))
  const fail = (reason: 'unreachable' | 'timeout'): void =>
    breakWait(new StoreError(reason, 'wait', { transient: true }))
  return { clock, heardAt, acquired, fail }
}

test('H4: each answer counts, and a connection that breaks was good until then', async () => {
  const { clock, heardAt, acquired, fail } = scene()
  await clock.advance(66_000)
  expect(heardAt).toEqual([0, 30_000, 60_000])
  fail('unreachable')
  expect(await acquired).toMatchObject({ reason: 'unreachable' })
  expect(heardAt).toEqual([0, 30_000, 60_000, 66_000])
})

test('H4: a server that does not answer in time has told nothing', async () => {
  const { clock, heardAt, acquired, fail } = scene()
  await clock.advance(29_000)
  fail('timeout')
  expect(await acquired).toMatchObject({ reason: 'timeout' })
  expect(heardAt).toEqual([0])
})
