/** The counter as it is in Redis. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { PrivateServer } from '../redisson/private-server.js'
import { standaloneClient } from '../setup/clients.js'
import { duringAll } from '../setup/during.js'
import { fenceOf, freshName, freshOwner, type Session, type Stand, standaloneStand } from './stand.js'

const leaseMs = 30_000
const request = (name: string) => ({ name, owner: freshOwner(), heldBefore: 0, leaseMs })

describe('the counter', () => {
  let session: Session
  const stand = duringAll(() => standaloneStand())
  beforeAll(() => {
    session = stand.session()
  })

  test('has Redisson’s name and is kept for ever', async () => {
    const name = freshName()
    await session.fenced.acquire(request(name))
    expect(await stand.ask('GET', `redisson_lock_token:{${name}}`)).toBe('1')
    expect(await stand.ask('PTTL', `redisson_lock_token:{${name}}`)).toBe(-1)
    const tagged = `{${name}}:tail`
    await session.fenced.acquire(request(tagged))
    expect(await stand.ask('GET', `redisson_lock_token:${tagged}`)).toBe('1')
  })

  test('follows a key prefix', async () => {
    const client = standaloneClient({ ...inject('servers').standalone, keyPrefix: 'app:' })
    const prefixed = standaloneStand(client)
    const name = freshName()
    await prefixed.session().fenced.acquire(request(name))
    expect(await stand.ask('GET', `redisson_lock_token:{app:${name}}`)).toBe('1')
    await prefixed.close()
  })

  test('may have been counted on by others meanwhile, as a Java service does', async () => {
    const name = freshName()
    await stand.ask('SET', `redisson_lock_token:{${name}}`, '41')
    expect(fenceOf(await session.fenced.acquire(request(name)))).toBe(42n)
  })

  test('beyond 2^53 is exact', async () => {
    const name = freshName()
    await stand.ask('SET', `redisson_lock_token:{${name}}`, '9007199254740992')
    const first = request(name)
    expect(fenceOf(await session.fenced.acquire(first))).toBe(9_007_199_254_740_993n)
    expect(fenceOf(await session.fenced.acquire(first))).toBe(9_007_199_254_740_993n)
    expect((await session.fenced.readTenure(name, first.owner)).lastFence).toBe(9_007_199_254_740_993n)
    expect(fenceOf(await session.fenced.handOver({ ...request(name), from: first.owner }))).toBe(
      9_007_199_254_740_994n,
    )
  })

  test('below zero begins at 1', async () => {
    const name = freshName()
    await stand.ask('SET', `redisson_lock_token:{${name}}`, '-7')
    expect(fenceOf(await session.fenced.acquire(request(name)))).toBe(1n)
  })

  test.each([
    ['a list', 'RPUSH', 'wrong-type'],
    ['a text', 'SET', 'wrong-type'],
  ])('that is %s is refused, and nothing is changed', async (_, command, reason) => {
    const name = freshName()
    const counter = `redisson_lock_token:{${name}}`
    await stand.ask(command, counter, 'a text')
    const dump = await stand.ask('DUMP', counter)
    await expect(session.fenced.acquire(request(name))).rejects.toMatchObject({
      code: 'STORE_ERROR',
      reason,
      transient: false,
      lockName: name,
    })
    expect(await stand.ask('EXISTS', name)).toBe(0)
    expect(await stand.ask('DUMP', counter)).toEqual(dump)
    const held = request(name)
    await session.plain.acquire(held)
    const heir = { ...request(name), from: held.owner }
    await expect(session.fenced.handOver(heir)).rejects.toMatchObject({ reason })
    expect(await stand.ask('HGETALL', name)).toEqual([held.owner, '1', 'since', expect.any(String)])
  })

  test('at its end is refused, and nothing is changed', async () => {
    const name = freshName()
    await stand.ask('SET', `redisson_lock_token:{${name}}`, '9223372036854775807')
    await expect(session.fenced.acquire(request(name))).rejects.toMatchObject({ reason: 'script' })
    expect(await stand.ask('EXISTS', name)).toBe(0)
  })

  test('is not touched where the lock’s key is of another type', async () => {
    const name = freshName()
    await stand.ask('SET', name, 'no lock')
    await expect(session.fenced.acquire(request(name))).rejects.toMatchObject({ reason: 'wrong-type' })
    expect(await stand.ask('EXISTS', `redisson_lock_token:{${name}}`)).toBe(0)
  })
})

describe('a server of its own', () => {
  let server: PrivateServer
  let stand: Stand
  beforeAll(async () => {
    server = await PrivateServer.bring()
    stand = standaloneStand(server.client())
  })
  afterEach(() => server.ask('CONFIG', 'SET', 'maxmemory', '0'))
  afterAll(async () => {
    await stand.close()
    await server.tidy()
    await server.stop()
  })

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

  test('X2: the scripts survive SCRIPT FLUSH', async () => {
    const { fenced } = stand.session()
    const first = request(freshName())
    await fenced.acquire(first)
    await server.ask('SCRIPT', 'FLUSH')
    expect(fenceOf(await fenced.handOver({ ...request(first.name), from: first.owner }))).toBe(2n)
  })
})
