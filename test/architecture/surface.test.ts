/** What a program gets from each entry point at run time. Its types are held by the API report in `etc/`. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { moduleOf } from '../../scripts/ways-in.js'
import * as lock from '../../src/client/index.js'
import * as conformance from '../../src/conformance/index.js'
import * as index from '../../src/index.js'
import * as fastify from '../../src/integrations/fastify/index.js'
import * as nestjs from '../../src/integrations/nestjs/index.js'
import * as otel from '../../src/integrations/otel/index.js'
import * as prometheus from '../../src/integrations/prometheus/index.js'
import * as etcd from '../../src/stores/etcd/index.js'
import * as store from '../../src/stores/kit/index.js'
import * as memory from '../../src/stores/memory/index.js'
import * as postgres from '../../src/stores/postgres/index.js'
import * as redis from '../../src/stores/redis/index.js'
import * as sqlite from '../../src/stores/sqlite/index.js'
import * as url from '../../src/stores/url/index.js'
import * as zookeeper from '../../src/stores/zookeeper/index.js'
import * as transactions from '../../src/transactions/index.js'

test('holdfast exports the client, the errors, the guard, the decorator and the quorum, and nothing else', () => {
  expect(Object.keys(index).sort()).toEqual([
    'ClosedError',
    'DeadlockError',
    'FenceGuard',
    'Holdfast',
    'HoldfastError',
    'InvalidArgumentError',
    'LockLostError',
    'LockTimeoutError',
    'LockUpgradeError',
    'NoOwnerError',
    'NoTransactionError',
    'NotOwnerError',
    'NotReentrantError',
    'PermitNotHeldError',
    'SequencerError',
    'StaleFenceError',
    'StaleSequencerError',
    'StoreError',
    'TooManyWaitersError',
    'UnstorableValueError',
    'UnsupportedKindError',
    'currentHold',
    'httpAnswer',
    'labelOf',
    'locked',
    'quorum',
  ])
})

test('holdfast/lock exports the client of the plain lock and the errors that it throws, and nothing else', () => {
  expect(Object.keys(lock).sort()).toEqual([
    'ClosedError',
    'HoldfastError',
    'InvalidArgumentError',
    'LockClient',
    'LockLostError',
    'LockTimeoutError',
    'NoOwnerError',
    'NoTransactionError',
    'NotOwnerError',
    'NotReentrantError',
    'StoreError',
    'TooManyWaitersError',
    'labelOf',
  ])
})

test('holdfast/memory exports the store and the clock for tests, and nothing else', () => {
  expect(Object.keys(memory).sort()).toEqual(['MemoryStore', 'VirtualClock'])
})

test('holdfast/conformance exports the suite, and nothing else', () => {
  expect(Object.keys(conformance)).toEqual(['conformance'])
})

test('holdfast/store exports what a store is made of, and nothing else', () => {
  expect(Object.keys(store).sort()).toEqual([
    'CompareAndSet',
    'PORT_VERSION',
    'RowStoreSession',
    'matchesGlob',
    'storeKinds',
    'traitsOf',
  ])
})

test('holdfast/transactions exports the locks of a transaction and the errors that they throw, and nothing else', () => {
  expect(Object.keys(transactions).sort()).toEqual([
    'DeadlockError',
    'HoldfastError',
    'InvalidArgumentError',
    'LockTimeoutError',
    'NoTransactionError',
    'StoreError',
    'VersionConflictError',
    'mysqlNamesSchema',
    'rowLock',
    'sql',
    'transactionLock',
    'updateVersioned',
  ])
})

test('holdfast/otel and holdfast/prometheus export one function each, and nothing else', () => {
  expect(Object.keys(otel)).toEqual(['instrument'])
  expect(Object.keys(prometheus)).toEqual(['expose'])
})

test('a store’s own way in exports what makes the store, and nothing else', () => {
  expect(Object.keys(redis)).toEqual(['redis'])
  expect(Object.keys(postgres).sort()).toEqual(['advisory', 'postgres', 'postgresSchema'])
  expect(Object.keys(sqlite)).toEqual(['sqlite'])
  expect(Object.keys(etcd)).toEqual(['etcd'])
  expect(Object.keys(url)).toEqual(['storeAt'])
  expect(Object.keys(zookeeper)).toEqual(['zookeeper'])
})

test('a framework’s way in exports what it is given, and nothing else', () => {
  expect(Object.keys(nestjs).sort()).toEqual([
    'HoldfastHealthIndicator',
    'HoldfastModule',
    'Lock',
    'LockFilter',
    'ScheduledLock',
  ])
  expect(Object.keys(fastify)).toEqual(['fastifyHoldfast'])
})

test('index.ts is the public surface and has no code of its own', async () => {
  const ways = [
    'conformance',
    'etcd',
    'fastify',
    'lock',
    'memory',
    'nestjs',
    'otel',
    'postgres',
    'prometheus',
    'redis',
    'sqlite',
    'store',
    'transactions',
    'zookeeper',
  ]
  for (const way of ['.', ...ways]) {
    const source = await readFile(new URL(`../../src/${moduleOf(way)}.ts`, import.meta.url), 'utf8')
    const statements = source.replace(/\/\*.*?\*\//gs, '').split(/^(?=export |import )/m)
    for (const statement of statements)
      expect(statement).toMatch(/^(\s*|export (type )?\{[^}]*\} from '[^']+'\s*)$/)
  }
})
