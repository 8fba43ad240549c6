import { executionAsyncResource } from 'node:async_hooks'
import { describe, expect, test } from 'vitest'
import { Owners, Scope } from '../../src/base/identity/owner.js'
import { Holdfast } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'

describe('Owners', () => {
  test('O1, redisson#503, #1824, #3580, #6878: the scope around, across awaits; none outside', async () => {
    const owners = new Owners()
    const scope = new Scope(owners.next(), undefined)
    expect(owners.current()).toBeUndefined()
    await owners.within(scope, async () => {
      expect(owners.current()).toBe(scope)
      await new Promise((resolve) => setImmediate(resolve))
      expect(owners.current()).toBe(scope)
      expect(owners.caller(undefined)).toBe(scope)
      expect(owners.caller(scope.owner)).toBe(scope)
      expect(owners.caller('client:9')?.parent).toBeUndefined()
    })
    expect(owners.current()).toBeUndefined()
  })

  test('two clients’ scopes nest without hiding each other', async () => {
    const [mine, other] = [new Owners(), new Owners()]
    const outer = new Scope(mine.next(), undefined)
    const inner = new Scope(other.next(), undefined)
    await mine.within(outer, () =>
      other.within(inner, async () => {
        expect(mine.current()).toBe(outer)
        expect(other.current()).toBe(inner)
      }),
    )
  })

  test('a scope ends when its body fails, too', async () => {
    const owners = new Owners()
    const scope = new Scope(owners.next(), undefined)
    await expect(owners.within(scope, () => Promise.reject(new Error('meant')))).rejects.toThrow('meant')
    expect(scope.live()).toBeUndefined()
  })

  // Before Node 24 each storage in use leaves its mark on every asynchronous resource made from then on.
  test('clients that were closed leave nothing behind on what is made later', async () => {
    const marks = async (): Promise<number> => {
      const resource = await new Promise<object>((tell) => setImmediate(() => tell(executionAsyncResource())))
      return Object.getOwnPropertySymbols(resource).length
    }
    const use = async (): Promise<void> => {
      const holdfast = new Holdfast(new MemoryStore())
      await holdfast.lock('lock').withLock(async () => undefined)
      await holdfast.close()
    }
    await use()
    const before = await marks()
    for (let count = 0; count < 10; count += 1) await use()
    expect(await marks()).toBe(before)
  })
})
