/** The servers that tests of etcd run on: what is asked of an ensemble happens to it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EtcdEnsemble } from '../servers/etcd/index.js'
import { eventually } from '../setup/eventually.js'

let ensemble: EtcdEnsemble

beforeAll(async () => {
  ensemble = await EtcdEnsemble.start()
})
afterAll(() => ensemble?.stop())

test('three members serve the same data, and another leads when it is told to', async () => {
  const [one, two, three] = ensemble.members
  await one?.ctl('put', 'shared', 'by one')
  expect(await three?.ctl('get', 'shared', '--print-value-only')).toBe('by one\n')
  const [follower] = await ensemble.followers()
  if (!follower || !two) throw new Error('there are three')
  await ensemble.moveLeader(follower)
  expect(await ensemble.leader()).toBe(follower)
})

test('a member that the others do not reach serves nobody, and does so again afterwards', async () => {
  const [alone] = await ensemble.followers()
  const others = ensemble.members.filter((member) => member !== alone)
  if (!alone) throw new Error('there are three')
  ensemble.isolate(alone)
  await expect(alone.ctl('get', 'shared', '--command-timeout=500ms')).rejects.toThrow()
  await others[0]?.ctl('put', 'shared', 'without it')
  ensemble.heal()
  await eventually(async () => {
    const value = await alone.ctl('get', 'shared', '--print-value-only').catch(() => '')
    return value === 'without it\n'
  })
})

test('when the leader is killed another leads; it comes back with its data', async () => {
  const leader = await ensemble.leader()
  const [follower] = await ensemble.followers()
  await leader.kill()
  await eventually(async () => (await ensemble.leader(follower)) !== leader)
  await follower?.ctl('put', 'shared', 'meanwhile')
  await leader.start()
  expect(await leader.ctl('get', 'shared', '--print-value-only')).toBe('meanwhile\n')
})
