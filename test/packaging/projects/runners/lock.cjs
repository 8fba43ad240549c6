/* The same test for Mocha and for Vitest, which give it `describe` and `it`. */
const assert = require('node:assert/strict')
const { Holdfast } = require('holdfast')
const { MemoryStore } = require('holdfast/memory')

describe('a lock', () => {
  it('is one, whichever way its package is loaded', async () => {
    assert.equal((await import('holdfast')).Holdfast, Holdfast)
  })

  it('is held again by who holds it', async () => {
    const holdfast = new Holdfast(new MemoryStore())
    const lock = holdfast.lock('job')
    assert.equal(await lock.withLock(() => lock.withLock(() => lock.holdCount())), 2)
    await holdfast.close()
  })
})
