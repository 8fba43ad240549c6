import { expect, test } from 'vitest'
import { generate } from './generate.js'
import { kinds } from './kinds.js'
import { Random } from './random.js'
import { resourcesOf } from './resource.js'

function programOf(seed: number): string {
  const random = new Random(seed)
  const terms = { kinds, resources: resourcesOf(kinds, random), longestWorkMs: 1_000, longWork: false }
  return JSON.stringify(generate(random, { ...terms, resizes: 'any' }))
}

test('a seed gives the same program again', () => {
  expect(programOf(5)).toEqual(programOf(5))
  expect(programOf(5)).not.toEqual(programOf(6))
})

test('every kind of step, every kind of lock and every way is among the programs', () => {
  const programs = Array.from({ length: 300 }, (_, seed) => programOf(seed)).join()
  const found = (field: string) =>
    new Set([...programs.matchAll(new RegExp(`${field}:"([^"]+)"`, 'g'))].map(([, value]) => value))
  expect([...found('"do"')].sort().join()).toBe('detached,latch,resize,run,section,siblings,work')
  const targets = kinds.filter((kind) => kind !== 'latch' && kind !== 'read-write')
  expect(found('"target":{"kind"')).toEqual(new Set([...targets, 'read', 'write']))
  expect(found('"way"')).toEqual(new Set(['withLock', 'acquire', 'tryAcquire', 'lock', 'tryLock']))
})
