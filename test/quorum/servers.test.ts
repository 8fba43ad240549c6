import { afterEach, describe, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { Holdfast } from '../../src/index.js'
import { quorum } from '../../src/stores/quorum/quorum.js'
import { RespProxy } from '../fault/proxy.js'
import { standaloneClient } from '../setup/clients.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { Fleet, TIMES } from './fleet.js'

const fleet = duringAll(() => Fleet.bring(3))
afterEach(() => fleet.tidy())

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

/** Lets in a user with these rights, and resolves with what a client says to be that user. */
async function user(username: string, ...rights: string[]) {
  for (const index of fleet.servers.keys())
    await fleet.client(index).call('ACL', 'SETUSER', username, 'on', '>secret', '&*', '+@all', ...rights)
  return { username, password: 'secret', enableReadyCheck: false }
}

test('a user who may not use the tickets waits all the same', async () => {
  const name = fleet.lockName()
  const few = await user('few', '~quorum:*', '~holdfast_line*', '~holdfast_processes*', '~redisson*')
  const made = [0, 1].map(() => fleet.holdfast(TIMES, {}, few))
  const errors: unknown[] = []
  let [inside, through] = [0, 0]
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

  test.each([
    ['by name', [], '127.0.0.1:PORT and 127.0.0.1:AGAIN are one|127.0.0.1:AGAIN and 127.0.0.1:PORT are one'],
    ['where INFO is denied, too', ['-info'], 'are one server under two addresses'],
  ])('one server under two addresses is refused, %s', async (_, denied, message) => {
    const terms = await user('twin', '~*', ...denied)
    const { host, port } = fleet.server(0)
    const proxy = await RespProxy.before({ host, port })
    const again = standaloneClient({ ...terms, host: proxy.host, port: proxy.port })
    const members = [fleet.client(0, terms), fleet.client(1, terms), again]
    const holdfast = fleet.keep(new Holdfast(quorum(members), TIMES))
    const told = message.replaceAll('PORT', `${port}`).replaceAll('AGAIN', `${proxy.port}`)
    expect(await refusalOf(holdfast)).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(told),
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
    const lock = fleet.holdfast(TIMES, { restartGuardMs: 1 }).lock(fleet.lockName())
    await eventually(async () => (await lock.tryAcquire().catch(() => null)) !== null)
  })

  test('a user who may not run INFO: the servers vote, and it is told once', async () => {
    const holdfast = fleet.holdfast(TIMES, {}, await user('plain', '~*', '-info'))
    const told = journalOf(holdfast, 'error')
    await (await holdfast.lock(fleet.lockName()).acquire()).release()
    expect(told).toEqual(fleet.servers.map(() => expect.objectContaining({ reason: 'permission' })))
  })
})
