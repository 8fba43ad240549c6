import { expect, test } from 'vitest'
import { until } from '../until.js'
import { ZooKeeperEnsemble, ZooKeeperServer } from './index.js'

test('a server stands alone, keeps its port when it is killed and started, and stops', async () => {
  const server = await ZooKeeperServer.start()
  expect(await server.mode()).toBe('standalone')
  await server.kill()
  await expect(server.mode()).rejects.toThrow()
  await server.start()
  await server.serves()
  await server.stop()
  await expect(server.mode()).rejects.toThrow()
})

test('an ensemble of three has a leader, and another one when that is killed', {
  timeout: 60_000,
}, async () => {
  const ensemble = await ZooKeeperEnsemble.start()
  const { leader, followers } = await ensemble.parts()
  expect(followers).toHaveLength(2)
  await leader.kill()
  const after = await until(
    async () => {
      const parts = await ensemble.parts()
      return parts.leader !== leader && parts
    },
    { what: 'another leader' },
  )
  expect(followers).toContain(after.leader)
  await ensemble.stop()
})
