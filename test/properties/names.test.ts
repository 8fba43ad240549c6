/** No two names share a key, a channel or a row, but those that docs/wire-layout.md and the pages of the stores name. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidArgumentError } from '../../src/index.js'
import type { LockKeyspace } from '../../src/port/store.js'
import { EntryNames } from '../../src/stores/etcd/names.js'
import { keyOf } from '../../src/stores/memcached/key.js'
import { storedName as mysqlName } from '../../src/stores/mysql/stored-name.js'
import { storedName as postgresName } from '../../src/stores/postgres/stored-name.js'
import { releaseChannelOf } from '../../src/stores/redis/channels/release-channel.js'
import { COMPANION, companionOf, tokenCounterOf } from '../../src/stores/redis/keys/companion-key.js'
import { readWriteKeysOf } from '../../src/stores/redis/keys/read-write-keys.js'
import {
  latchChannelOf,
  permitsKeyOf,
  requestKeyOf,
  semaphoreChannelOf,
  semaphoreLeasesKeyOf,
} from '../../src/stores/redis/keys/semaphore-keys.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { cellPathOf, pathOf } from '../../src/stores/zookeeper/node-name.js'
import { hostileNames } from './hostile-names.js'
import { forAll } from './runs.js'

/** Two names that are alike in all but what keys are made with. */
const alike: fc.Arbitrary<readonly [string, string]> = fc
  .tuple(hostileNames, fc.nat({ max: 999_999 }), fc.nat({ max: 7 }))
  .map(([name, number, how]) => {
    const tag = `${number}`
    const others = [
      `{${name}}`,
      `${tag}}:${name}`,
      `{${tag}}:${name}`,
      `:${name}`,
      `{${name}`,
      `${name}}`,
      `holdfast_line:{${name}}`,
      `{${name}}:timeout`,
    ]
    return [name, others[how] ?? ''] as const
  })

const pairs = fc
  .oneof(fc.tuple(hostileNames, hostileNames), alike)
  .filter(([one, other]) => one !== other && other !== '')

/** What stands in Redis for a name, by the kind that has it there: Holdfast's own keys. Undefined: the name is refused. */
const OWN: ReadonlyArray<(key: string) => readonly string[]> = [
  (key) =>
    ['holdfast_line', 'holdfast_processes', 'holdfast_edges', 'holdfast_once', 'holdfast_replicas'].map(
      (prefix) => companionOf(prefix, key),
    ),
  (key) => [companionOf('holdfast_rw_edges', key), companionOf('holdfast_tokens', key)],
  (key) => [semaphoreLeasesKeyOf(key), companionOf('holdfast_semaphore_permits', key)],
  (key) => [requestKeyOf(key, 'f1e0a8e2-8d3c-4f39-a5d4-3a1f3e0c7d11')],
  readWriteKeysOf,
  (key) => [latchChannelOf(key)],
]

function unlessRefused(keysOf: (key: string) => readonly string[], key: string): readonly string[] {
  try {
    return keysOf(key)
  } catch (error) {
    if (error instanceof InvalidArgumentError) return []
    throw error
  }
}

/** All that are there twice. */
function shared(one: readonly string[], other: readonly string[]): string[] {
  return one.filter((each) => other.includes(each))
}

describe('faults A5: two names are two locks', () => {
  test('the two that met: a number in braces, and the permits of `x` and `{x}`', () => {
    const [one, other] = ['job-17552}', '5918}:job-17552']
    for (const keysOf of OWN) expect(shared(keysOf(one), keysOf(other))).toEqual([])
    expect(permitsKeyOf('x')).toBe('{x}:timeout')
    expect(() => permitsKeyOf('{x}')).toThrow(/leave out the braces/)
    expect(permitsKeyOf('{x}:a')).toBe('{x}:a:timeout')
  })

  test('Redis: no two names share one of Holdfast’s keys, whatever the kinds', () =>
    forAll(pairs, 300, ([one, other]) => {
      const keysOf = (key: string): string[] => OWN.flatMap((each) => [...unlessRefused(each, key)])
      expect(new Set(keysOf(one)).size).toBe(keysOf(one).length)
      expect(shared(keysOf(one), keysOf(other))).toEqual([])
    }))

  test('Redis: no two names share the permits with ids', () =>
    forAll(pairs, 2_000, ([one, other]) => {
      const keysOf = (key: string): readonly string[] => unlessRefused((of) => [permitsKeyOf(of)], key)
      expect(shared(keysOf(one), keysOf(other))).toEqual([])
    }))

  test('Redis: a name whose key stands beside a lock is refused', () =>
    forAll(hostileNames, 500, (name) => {
      if (COMPANION.test(name)) return
      for (const key of [...unlessRefused(OWN[0] ?? (() => []), name), tokenCounterOf(name, true)]) {
        expect(() => companionOf('holdfast_line', key)).toThrow(InvalidArgumentError)
        expect(() => requestKeyOf(key, 'request')).toThrow(InvalidArgumentError)
      }
    }))

  test('Redis: a companion is in the slot of its lock', () =>
    forAll(hostileNames, 1_000, (name) => {
      fc.pre(!COMPANION.test(name))
      expect(slotOf(companionOf('holdfast_line', name))).toBe(slotOf(name))
      expect(slotOf(tokenCounterOf(name, true))).toBe(slotOf(name))
    }))

  test('Redis: channels and token counters are shared by `x` and `{x}` alone, as in Redisson', () =>
    forAll(pairs, 2_000, ([one, other]) => {
      const inner = (key: string): string => /^\{([^{]*)\}$/s.exec(key)?.[1] ?? key
      fc.pre(inner(one) !== inner(other))
      const namesOf = (key: string) =>
        [releaseChannelOf, semaphoreChannelOf].map((of) => of(key)).concat(tokenCounterOf(key, false))
      expect(shared(namesOf(one), namesOf(other))).toEqual([])
    }))

  const keyspaces = fc.constantFrom<LockKeyspace[]>('lock', 'read-write', 'semaphore', 'permits', 'latch')
  const ofAnyKinds = fc.tuple(pairs, keyspaces, keyspaces)

  test('etcd: no two names of any kinds share a key, or lie within one another', () => {
    const names = new EntryNames('holdfast/', 30_000)
    forAll(ofAnyKinds, 2_000, ([[one, other], here, there]) => {
      const first = names.entry({ keyspace: here, name: one }, '').toString()
      const second = names.entry({ keyspace: there, name: other }, '').toString()
      expect(second.startsWith(first) || first.startsWith(second)).toBe(false)
      const cell = names.cell({ space: 'computed', name: one }).toString()
      expect([first, second].some((folder) => cell.startsWith(folder))).toBe(false)
      expect(cell).not.toBe(names.cell({ space: 'computed', name: other }).toString())
    })
  })

  test('ZooKeeper: no two names of any kinds share a node', () =>
    forAll(ofAnyKinds, 2_000, ([[one, other], here, there]) => {
      const first = pathOf('/holdfast', { keyspace: here, name: one })
      const second = pathOf('/holdfast', { keyspace: there, name: other })
      const cells = [one, other].map((name) => cellPathOf('/holdfast', { space: 'computed', name }))
      expect(new Set([first, second, ...cells]).size).toBe(4)
    }))

  test('memcached and tables: no two names share an item or a row', () =>
    forAll(pairs, 2_000, ([one, other]) => {
      expect(keyOf(one)).not.toBe(keyOf(other))
      expect(Buffer.byteLength(keyOf(one))).toBeLessThanOrEqual(250)
      expect(postgresName(one).name).not.toBe(postgresName(other).name)
      expect(mysqlName(one).name.equals(mysqlName(other).name)).toBe(false)
    }))
})

/** Redisson's rule, written down once more: the name in braces, unless it has braces of its own. */
function redissonChannel(name: string): string {
  return name.indexOf('{') >= 0 ? `redisson_lock__channel:${name}` : `redisson_lock__channel:{${name}}`
}

test('whatever the name: the release channel is the one Redisson uses', () =>
  forAll(hostileNames, 1_000, (name) => {
    expect(releaseChannelOf(name)).toBe(redissonChannel(name))
  }))

test('whatever the name: without a brace in it, lock and channel share a cluster slot', () => {
  const unbraced = hostileNames.filter((name) => !/[{}]/.test(name))
  forAll(unbraced, 1_000, (name) => {
    expect(slotOf(releaseChannelOf(name))).toBe(slotOf(name))
  })
})
