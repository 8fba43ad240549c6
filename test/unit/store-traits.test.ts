import { expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'

/** A store in memory, about which the author states this. */
function storeThat(stated: object): MemoryStore {
  return Object.assign(new MemoryStore(), stated)
}

test('a store for another version of the port is refused', () => {
  expect(() => new Holdfast(storeThat({ portVersion: 2 }))).toThrow(
    'store.portVersion is 2; accepted: 1, the version of this Holdfast.',
  )
})

test('users 9: where the store lists nothing, list() says so', async () => {
  await using holdfast = new Holdfast(storeThat({ traits: { lists: false } }))
  await using _hold = await holdfast.lock('a').acquire()
  await expect(holdfast.list()[Symbol.asyncIterator]().next()).rejects.toThrow(
    'This store keeps no list of its locks. It keeps: lock,',
  )
})
