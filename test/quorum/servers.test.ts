import { afterEach, describe, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { Holdfast } from '../../src/index.js'
import { quorum } from '../../src/stores/quorum/quorum.js'
import { RespProxy } from '../fault/proxy.js'
import { standaloneClient } from '../setup/clients.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { Fleet } from './fleet.js'

const TIMES = {
  get commandTimeoutMs() {
    return lasting(400)
  },
  get storeTimeoutMs() {
    return lasting(2_000)
  },
}

const fleet = duringAll(() => Fleet.bring(3))
afterEach(() => fleet.tidy())

describe('failures', () => {
  test('subscriptions of a server that restarted are renewed, and no release is missed', async () => {
    const name = fleet.lockName()
    const hold = await fleet.holdfast(TIMES).lock(name).acquire({ leaseMs: 600_000 })
    const other = fleet.holdfast(TIMES)
    const waiting = other.lock(name).acquire()
    await eventually(() => other.metrics().waiting > 0)
    await fleet.server(0).restart({ keepData: true })
    // Only with the first server's news the release is one of a majority.
    await fleet.server(1).kill()
    await hold.release()
    await (await waiting).release()
  })
})

test('a user who may not use the tickets waits all the same', async () => {
  const name = fleet.lockName()
  const rules = [
    'on',
    '>few',
    '+@all',
    '&*',
    '~quorum:*',
    '~holdfast_line*',
    '~holdfast_processes*',
    '~redisson*',
  ]
  await Promise.all(
    fleet.servers.map((_, index) => fleet.client(index).call('ACL', 'SETUSER', 'few', ...rules)),
  )
  const made = [0, 1].map(() => {
    const members = fleet.servers.map((_, index) => fleet.client(index, { username: 'few', password: 'few' }))
    return fleet.keep(new Holdfast(quorum(members), TIMES))
  })
  const errors: unknown[] = []
  let inside = 0
  let through = 0
  await Promise.all(
    made.map(async (holdfast) => {
      holdfast.on('error', (error) => errors.push(error))
      for (let section = 0; section < 10; section += 1)
        await holdfast.lock(name).withLock(async () => {
          inside += 1
          expect(inside).toBe(1)
          await new Promise((resolve) => setImmediate(resolve))
          inside -= 1
          through += 1
        })
    }),
  )
  expect(through).toBe(20)
  expect(errors[0]).toMatchObject({ reason: 'permission' })
  await fleet.nothingLeft(name)
})

describe('members', () => {
  /** The error of the first use for which the votes of the twins count: two other servers may be a majority before those have answered. */
  async function refusalOf(holdfast: Holdfast): Promise<unknown> {
    for (;;) {
      try {
        await (await holdfast.lock(fleet.lockName()).acquire()).release()
      } catch (error) {
        return error
      }
    }
  }

  test('one server under two addresses is refused, by name', async () => {
    const { host, port } = fleet.server(0)
    const proxy = await RespProxy.before({ host, port })
    const again = standaloneClient({ host: proxy.host, port: proxy.port })
    const holdfast = fleet.keep(new Holdfast(quorum([fleet.client(0), fleet.client(1), again]), TIMES))
    expect(await refusalOf(holdfast)).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(
        new RegExp(
          `127.0.0.1:${port} and 127.0.0.1:${proxy.port} are one|${proxy.port} and 127.0.0.1:${port} are one`,
        ),
      ),
    })
    again.disconnect()
    await proxy.stop()
  })

  test('one server under two addresses is refused where INFO is denied, too', async () => {
    const rights = ['on', '>secret', '~*', '&*', '+@all', '-info']
    await Promise.all([0, 1].map((index) => fleet.client(index).call('ACL', 'SETUSER', 'mute', ...rights)))
    const user = { username: 'mute', password: 'secret', enableReadyCheck: false }
    const { host, port } = fleet.server(0)
    const proxy = await RespProxy.before({ host, port })
    const again = standaloneClient({ ...user, host: proxy.host, port: proxy.port })
    const members = [fleet.client(0, user), fleet.client(1, user), again]
    const holdfast = fleet.keep(new Holdfast(quorum(members), TIMES))
    expect(await refusalOf(holdfast)).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('are one server under two addresses'),
    })
    again.disconnect()
    await proxy.stop()
  })

  test('a server that has restarted does not vote while it is guarded', async () => {
    const guard = { restartGuardMs: 3_600_000 }
    // All have just been started, as far as a client that sees them for the first time can tell.
    await expect(fleet.holdfast(TIMES, guard).lock(fleet.lockName()).tryAcquire()).rejects.toMatchObject({
      reason: 'not-ready',
      message: expect.stringContaining('3 of 3 servers failed'),
    })
    const name = fleet.lockName()
    const lock = fleet.holdfast(TIMES, { restartGuardMs: 1 }).lock(name)
    await eventually(async () => (await lock.tryAcquire().catch(() => null)) !== null)
  })

  test('a user who may not run INFO: the servers vote, and it is told once', async () => {
    for (const [index] of fleet.servers.entries()) {
      await fleet.client(index).call('ACL', 'SETUSER', 'plain', 'on', '>secret', '~*', '&*', '+@all', '-info')
    }
    const members = fleet.servers.map((_, index) =>
      fleet.client(index, { username: 'plain', password: 'secret', enableReadyCheck: false }),
    )
    const holdfast = fleet.keep(new Holdfast(quorum(members), TIMES))
    const told = journalOf(holdfast, 'error')
    const hold = await holdfast.lock(fleet.lockName()).acquire()
    await hold.release()
    expect(told).toEqual(fleet.servers.map(() => expect.objectContaining({ reason: 'permission' })))
  })
})
