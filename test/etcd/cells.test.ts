/** Values in etcd. */
import { expect, test } from 'vitest'
import { etcd } from '../../src/stores/etcd/index.js'
import { EtcdServer } from '../servers/etcd/index.js'
import { cellsCases } from '../session/cells.cases.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { linkTo } from './scene.js'

const server = duringAll(() => EtcdServer.start())

cellsCases({
  linked: () => linkTo([server]).link,
  store: () => etcd({ hosts: server.url, prefix: 'values/' }),
})

test('the server removes what is not to be kept for ever', async () => {
  const { link } = linkTo([server])
  const cell = { space: 'value', name: 'short' } as const
  await link.cells.write({ cell, version: undefined, text: 'soon gone', keepMs: 3_000 })
  expect((await link.cells.read(cell)).text).toBe('soon gone')
  await eventually(async () => (await link.cells.read(cell)).text === undefined)
})
