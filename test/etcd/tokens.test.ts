/** Tokens: signed ones and those that etcd keeps in memory, on the oldest and the newest release. */
import { describe, expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { etcd } from '../../src/stores/etcd/index.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { anyLock, asRoot, least, serverWithUsers } from './scene.js'

describe.concurrent.each([
  ['3.4', 'signed'],
  ['3.4', 'kept'],
  ['3.6', 'signed'],
  ['3.6', 'kept'],
] as const)('etcd %s, tokens that are %s', (release, tokens) => {
  let users = 0

  // Where this release is not yet at hand, it is built.
  const server = duringAll(() => {
    const args = ['--bcrypt-cost', '4', '--auth-token-ttl', '1']
    return serverWithUsers({ release, args, ...(tokens === 'signed' && { signedTokensEndAfterS: 2 }) })
  }, 300_000)

  function holdfast(onTestFinished: (end: () => Promise<void>) => void, watchdogMs = 30_000): Holdfast {
    const made = new Holdfast(etcd({ hosts: server.url, credentials: least }), { watchdogMs })
    onTestFinished(() => made.close())
    return made
  }

  /** Then the tokens of before are of an older revision. */
  async function addUser(): Promise<void> {
    users += 1
    await server.ctl(...asRoot, 'user', 'add', `user ${users}:${least.password}`)
  }

  test('faults B3: a user that is added stops nobody: not who holds, who waits, or who comes', async ({
    onTestFinished,
  }) => {
    const [client, other] = [holdfast(onTestFinished), holdfast(onTestFinished)]
    const { name } = anyLock()
    // Both have a stream of watches by which they go on.
    const first = await client.lock(name).acquire()
    const second = other.lock(name).acquire()
    await eventually(async () => (await client.lock(name).countWaitingClients()) === 1)
    await addUser()
    await first.release()
    const hold = await second
    const third = client.lock(name).acquire()
    await eventually(async () => (await other.lock(name).countWaitingClients()) === 1)
    await addUser()
    await hold.release()
    const last = await third
    expect(last.signal.aborted).toBe(false)
    await last.release()
  })

  test('faults B4: a lock that outlives the token of its client is kept', async ({ onTestFinished }) => {
    // Its keep-alives are farther apart than a token lasts that nobody uses.
    const client = holdfast(onTestFinished, 7_500)
    const told: string[] = []
    for (const event of ['renewed', 'suspended', 'lost'] as const) client.on(event, () => told.push(event))
    const hold = await client.lock(anyLock().name).acquire()
    await eventually(() => told.filter((each) => each === 'renewed').length === 2, Boolean, 20_000)
    // A renewal may be late on a busy machine, and is repeated then.
    expect(told).not.toContain('lost')
    hold.assertHeld()
    await hold.release()
  })
})
