/** The counter as it is in Redis. */
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { PrivateServer } from '../redisson/private-server.js'
import { standaloneClient } from '../setup/clients.js'
import { duringAll } from '../setup/during.js'
import { fenceOf, freshName, freshOwner, type Session, standaloneStand } from './stand.js'

const request = (name: string) => ({ name, owner: freshOwner(), heldBefore: 0, leaseMs: 30_000 })

describe('the counter', () => {
  let session: Session
  let name: string
  let counter: string
  const stand = duringAll(() => standaloneStand())
  beforeEach(() => {
    session = stand.session()
    name = freshName()
    counter = `redisson_lock_token:{${name}}`
  })

  test('has Redisson’s name and is kept for ever', async () => {
    await session.fenced.acquire(request(name))
    expect(await stand.ask('GET', counter)).toBe('1')
    expect(await stand.ask('PTTL', counter)).toBe(-1)
    const tagged = `{${name}}:tail`
    await session.fenced.acquire(request(tagged))
    expect(await stand.ask('GET', `redisson_lock_token:${tagged}`)).toBe('1')
  })

  test('follows a key prefix', async () => {
    const prefixed = standaloneStand(standaloneClient({ ...inject('servers').standalone, keyPrefix: 'app:' }))
    await prefixed.session().fenced.acquire(request(name))
    expect(await stand.ask('GET', `redisson_lock_token:{app:${name}}`)).toBe('1')
    await prefixed.close()
  })

  test.each([
    ['may have been counted on by others meanwhile, as a Java service does', '41', 42n],
    ['beyond 2^53 is exact', '9007199254740992', 9_007_199_254_740_993n],
    ['below zero begins at 1', '-7', 1n],
  ])('%s', async (_, before, fence) => {
    await stand.ask('SET', counter, before)
    const first = request(name)
    for (let time = 0; time < 2; time += 1) expect(fenceOf(await session.fenced.acquire(first))).toBe(fence)
    expect((await session.fenced.readTenure(name, first.owner)).lastFence).toBe(fence)
    expect(fenceOf(await session.fenced.handOver({ ...request(name), from: first.owner }))).toBe(fence + 1n)
  })

  test.each([
    ['a list', 'RPUSH'],
    ['a text', 'SET'],
  ])('that is %s is refused, and nothing is changed', async (_, command) => {
    await stand.ask(command, counter, 'a text')
    const dump = await stand.ask('DUMP', counter)
    const refusal = { code: 'STORE_ERROR', reason: 'wrong-type', transient: false, lockName: name }
    await expect(session.fenced.acquire(request(name))).rejects.toMatchObject(refusal)
    expect(await stand.ask('EXISTS', name)).toBe(0)
    expect(await stand.ask('DUMP', counter)).toEqual(dump)
    const held = request(name)
    await session.plain.acquire(held)
    const heir = { ...request(name), from: held.owner }
    await expect(session.fenced.handOver(heir)).rejects.toMatchObject(refusal)
    expect(await stand.ask('HGETALL', name)).toEqual([held.owner, '1', 'since', expect.any(String)])
  })

  test('at its end is refused, and nothing is changed', async () => {
    await stand.ask('SET', counter, '9223372036854775807')
    await expect(session.fenced.acquire(request(name))).rejects.toMatchObject({ reason: 'script' })
    expect(await stand.ask('EXISTS', name)).toBe(0)
  })

  test('is not touched where the lock’s key is of another type', async () => {
    await stand.ask('SET', name, 'no lock')
    await expect(session.fenced.acquire(request(name))).rejects.toMatchObject({ reason: 'wrong-type' })
    expect(await stand.ask('EXISTS', counter)).toBe(0)
  })
})

describe('a server of its own', () => {
  const server = duringAll(() => PrivateServer.bring())
  const stand = duringAll(() => standaloneStand(server.client()))
  afterEach(() => server.ask('CONFIG', 'SET', 'maxmemory', '0'))

  test('a full one refuses the acquire and the hand-over, and nothing is changed', async () => {
    const { fenced } = stand.session()
    const [name, taken] = [freshName(), freshName()]
    const held = request(taken)
    await fenced.acquire(held)
    await server.ask('CONFIG', 'SET', 'maxmemory', '1')
    await expect(fenced.acquire(request(name))).rejects.toMatchObject({ reason: 'out-of-memory' })
    const heir = { ...request(taken), from: held.owner }
    await expect(fenced.handOver(heir)).rejects.toMatchObject({ reason: 'out-of-memory' })
    await server.ask('CONFIG', 'SET', 'maxmemory', '0')
    expect(await stand.ask('EXISTS', name, `redisson_lock_token:{${name}}`)).toBe(0)
    expect(await stand.ask('HGETALL', taken)).toEqual([held.owner, '1', 'since', expect.any(String)])
    expect(await stand.ask('GET', `redisson_lock_token:{${taken}}`)).toBe('1')
  })
})
