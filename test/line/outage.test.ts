/** Waiting in line while connections break: no place and no grant is lost by it. */
import { afterEach, describe, expect, test } from 'vitest'
import type { Hold, Holdfast, Lock } from '../../src/index.js'
import { PrivateServer } from '../redisson/private-server.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'

const server = duringAll(() => PrivateServer.bring())
afterEach(() => server.tidy())

const kinds: ReadonlyArray<{ kind: string; lockOf: (holdfast: Holdfast, name: string) => Lock }> = [
  { kind: 'lock', lockOf: (holdfast, name) => holdfast.lock(name) },
  { kind: 'fair', lockOf: (holdfast, name) => holdfast.fairLock(name) },
]

async function inLine(name: string): Promise<number> {
  return Number(await server.ask('ZCARD', `holdfast_line:{${name}}`))
}

describe.each(kinds)('$kind', ({ lockOf }) => {
  test('connections break while calls are in line: all are served, and one that nothing reaches is passed over meanwhile', async () => {
    const holding = server.holdfast()
    const hold = await lockOf(holding, 'broken').acquire()
    const served: number[] = []
    const waits: Promise<unknown>[] = []
    for (let index = 0; index < 4; index += 1) {
      waits.push(lockOf(server.holdfast(), 'broken').withLock(() => served.push(index)))
      await eventually(async () => (await inLine('broken')) === index + 1)
    }
    await server.ask('CLIENT', 'KILL', 'TYPE', 'normal')
    await server.ask('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await hold.release()
    await Promise.all(waits)
    expect(served.sort()).toEqual([0, 1, 2, 3])
    expect(await server.ask('KEYS', '*')).toEqual([])
  })

  test('a grant that nobody heard of is found when the connection is back', async () => {
    const waiting = server.holdfast()
    const hold = await lockOf(server.holdfast(), 'unheard').acquire()
    const owner = waiting.owner()
    const wait: Promise<Hold> = lockOf(waiting, 'unheard').acquire({ owner })
    await eventually(async () => (await inLine('unheard')) === 1)
    // The waiter is in line and its subscription is gone; the grant is told to nobody.
    await Promise.all([
      server.ask('CLIENT', 'KILL', 'TYPE', 'normal'),
      server.ask('CLIENT', 'KILL', 'TYPE', 'pubsub'),
      hold.release(),
    ])
    const next = await wait
    expect(await server.ask('HLEN', 'unheard')).toBe(2)
    await next.release()
    expect(await server.ask('KEYS', '*')).toEqual([])
  })

  test('SCRIPT FLUSH and a server restarted in between leave nobody waiting for ever', async () => {
    const waiting = server.holdfast()
    const hold = await lockOf(server.holdfast(), 'restarted').acquire({ leaseMs: 60_000 })
    const wait = lockOf(waiting, 'restarted').acquire()
    await eventually(async () => (await inLine('restarted')) === 1)
    // What a restart without persistence leaves: no keys, no scripts, no connections.
    await server.ask('FLUSHALL')
    await server.ask('SCRIPT', 'FLUSH')
    await server.ask('CLIENT', 'KILL', 'TYPE', 'normal')
    await server.ask('CLIENT', 'KILL', 'TYPE', 'pubsub')
    const next = await wait
    await next.release()
    await hold.release().catch(() => undefined)
    expect(await server.ask('KEYS', '*')).toEqual([])
  })
})
