import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { StaleFenceError } from '../../src/base/errors/stale-fence-error.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { InvalidArgumentError } from '../../src/index.js'
import { GuardedValue } from '../../src/kinds/fencing/guarded-value.js'
import { PrivateServer } from '../redisson/private-server.js'
import { freshName, standaloneStand, stands } from './stand.js'

describe.each(stands())('a guarded value ($where)', ({ stand }) => {
  const { guarded, fenced } = stand.session()
  const fresh = (): GuardedValue => new GuardedValue(freshName(), guarded, (ask) => ask())
  afterAll(() => stand.close())

  test('is what was written last, with its token', async () => {
    const value = fresh()
    expect(await value.get()).toBeUndefined()
    await value.set('first', 1n)
    expect(await value.get()).toEqual({ value: 'first', fence: 1n })
    await value.set('', 1n)
    expect(await value.get()).toEqual({ value: '', fence: 1n })
    await value.set('zwölf ✓ \u0000', 9_007_199_254_740_993n)
    expect(await value.get()).toEqual({ value: 'zwölf ✓ \u0000', fence: 9_007_199_254_740_993n })
  })

  test.each([
    [2n, 1n],
    [10n, 9n],
    [9_007_199_254_740_993n, 9_007_199_254_740_992n],
    [9_223_372_036_854_775_807n, 9_223_372_036_854_775_806n],
  ])('written under %s it refuses %s, and is not changed', async (greater, smaller) => {
    const value = fresh()
    await value.set('kept', greater)
    for (const write of [() => value.set('late', smaller), () => value.delete(smaller)]) {
      const refusal = await rejectionOf(write())
      expect(refusal).toBeInstanceOf(StaleFenceError)
      expect(refusal).toMatchObject({ resource: value.key, offered: smaller, seen: greater })
    }
    expect(await value.get()).toEqual({ value: 'kept', fence: greater })
  })

  test('that was removed remembers the token: a late writer cannot bring it back', async () => {
    const value = fresh()
    await value.set('old', 4n)
    await value.delete(5n)
    await value.delete(5n)
    expect(await value.get()).toBeUndefined()
    await expect(value.set('late', 4n)).rejects.toMatchObject({ code: 'STALE_FENCE', seen: 5n })
    await value.set('new', 5n)
    expect(await value.get()).toEqual({ value: 'new', fence: 5n })
    const unwritten = fresh()
    await unwritten.delete(3n)
    await expect(unwritten.set('late', 2n)).rejects.toBeInstanceOf(StaleFenceError)
  })

  test('takes tokens and texts only', async () => {
    const value = fresh()
    await expect(value.set('x', undefined)).rejects.toBeInstanceOf(InvalidArgumentError)
    await expect(value.delete(0n)).rejects.toBeInstanceOf(InvalidArgumentError)
    expect(await value.get()).toBeUndefined()
  })

  test.runIf(stand.server)('touches no key of another kind, a lock’s neither', async () => {
    const [text, lock] = [fresh(), fresh()]
    await stand.ask('SET', text.key, 'no hash')
    const owner = `${crypto.randomUUID()}:1` as const
    await fenced.acquire({ name: lock.key, owner, heldBefore: 0, leaseMs: 30_000 })
    for (const value of [text, lock]) {
      await expect(value.set('x', 1n)).rejects.toMatchObject({ code: 'STORE_ERROR', reason: 'wrong-type' })
      await expect(value.delete(1n)).rejects.toMatchObject({ reason: 'wrong-type' })
    }
    expect(await stand.ask('GET', text.key)).toBe('no hash')
    expect(await stand.ask('HKEYS', lock.key)).toEqual([owner, 'since'])
  })
})

test('a full server refuses a write and takes a removal', async () => {
  const server = await PrivateServer.bring()
  onTestFinished(() => server.stop())
  const stand = standaloneStand(server.client())
  const value = new GuardedValue(freshName(), stand.session().guarded, (ask) => ask())
  await value.set('before', 1n)
  await server.ask('CONFIG', 'SET', 'maxmemory', '1')
  await expect(value.set('after', 2n)).rejects.toMatchObject({ reason: 'out-of-memory' })
  expect(await value.get()).toEqual({ value: 'before', fence: 1n })
  await value.delete(3n)
  await server.ask('CONFIG', 'SET', 'maxmemory', '0')
  expect(await value.get()).toBeUndefined()
  await expect(value.set('late', 2n)).rejects.toMatchObject({ seen: 3n })
  await stand.close()
})
