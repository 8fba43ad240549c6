import { expect, test } from 'vitest'
import { StaleFenceError } from '../../src/index.js'
import { PrivateServer } from '../redisson/private-server.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'

const primary = duringAll(() => PrivateServer.bring())
const replica = duringAll(() => PrivateServer.bring())

test('H29: a replica that takes over without the last writes accepts a fence that its primary refused', async () => {
  const { host, port } = primary.server
  await replica.ask('REPLICAOF', host, port)
  const before = primary.holdfast().guardedValue('stock')
  await before.set('1', 1n)
  await eventually(async () => (await replica.ask('EXISTS', 'stock')) === 1)
  await replica.ask('REPLICAOF', 'NO', 'ONE')
  await before.set('2', 2n)
  await expect(before.set('late', 1n)).rejects.toBeInstanceOf(StaleFenceError)

  const after = replica.holdfast().guardedValue('stock')
  expect(await after.get()).toEqual({ value: '1', fence: 1n })
  await after.set('late', 1n)
  expect(await after.get()).toEqual({ value: 'late', fence: 1n })
  await Promise.all([primary.tidy(), replica.tidy()])
})
