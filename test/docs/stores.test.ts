/** The table of kinds in docs/stores.md is what the stores say of themselves. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { storeKinds, traitsOf } from '../../src/port/store-traits.js'
import { etcd } from '../../src/stores/etcd/index.js'
import { memcached } from '../../src/stores/memcached/index.js'
import { getLock, mysql } from '../../src/stores/mysql/index.js'
import { advisoryTraits } from '../../src/stores/postgres/advisory.js'
import { quorumTraits } from '../../src/stores/quorum/store.js'
import { zookeeper } from '../../src/stores/zookeeper/index.js'

const connect = () => Promise.reject(new Error('nothing is sent'))

const traits = {
  Redis: undefined,
  quorum: quorumTraits,
  PostgreSQL: undefined,
  MySQL: mysql({ connect }).traits,
  SQLite: undefined,
  etcd: etcd({ hosts: 'a' }).traits,
  ZooKeeper: zookeeper({ servers: 'a' }).traits,
  memcached: memcached({ servers: ['a'] }).traits,
  'advisory, `GET_LOCK`': advisoryTraits,
} as const

const page = readFileSync(new URL('../../docs/stores.md', import.meta.url), 'utf8')
const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
const head = rows.find((cells) => cells[1] === 'kind') ?? []

test('the table has a column for each store, and a row for each kind', () => {
  expect(head.slice(2, -1)).toEqual(Object.keys(traits))
  expect(getLock({ connect }).traits?.kinds).toEqual(advisoryTraits.kinds)
})

test.each(storeKinds)('%s', (kind) => {
  const cells = rows.find((row) => row[1] === `\`${kind}\`` && row.length === head.length) ?? []
  const said = head.flatMap((store, column) => (cells[column] === 'yes' ? [store] : []))
  const kept = Object.entries(traits).flatMap(([store, stated]) =>
    traitsOf(stated).kinds.includes(kind) ? [store] : [],
  )
  expect(said).toEqual(kept)
})
