import { expect, test } from 'vitest'
import { Holdfast, quorum, type Store } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'

/** A store in memory, about which the author states this. */
function storeThat(stated: object): MemoryStore {
  return Object.assign(new MemoryStore(), stated)
}

/** It, and a quorum that it is in. */
function alone(stated: object): Store {
  return storeThat(stated)
}
function among(stated: object): Store {
  return quorum([new MemoryStore(), storeThat(stated), new MemoryStore()])
}

test.each([alone, among])('a store for another version of the port is refused: %o', (store) => {
  expect(() => new Holdfast(store({ portVersion: 2 }))).toThrow(
    'store.portVersion is 2; accepted: 1, the version of this Holdfast.',
  )
})

test.each([alone, among])('users 9: where the store lists nothing, list() says so: %o', async (store) => {
  await using holdfast = new Holdfast(store({ traits: { lists: false } }))
  await using _hold = await holdfast.lock('a').acquire()
  await expect(holdfast.list()[Symbol.asyncIterator]().next()).rejects.toThrow(
    'This store keeps no list of its locks. It keeps: lock',
  )
})
