/** How many requests it costs. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { MemcachedServer } from '../servers/memcached.js'
import { until } from '../servers/until.js'
import { duringAll } from '../setup/during.js'
import { raw } from './raw.js'
import { open } from './scene.js'

const server = duringAll(() => MemcachedServer.start())

/** How many commands of each sort the server has had while that was done. */
async function commandsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await stats()
  await work()
  const after = await stats()
  return Object.fromEntries(
    ['cmd_get', 'cmd_set', 'delete_hits', 'delete_misses', 'cas_badval'].flatMap((name) => {
      const count = Number(after.get(name)) - Number(before.get(name))
      return count === 0 ? [] : [[name, count]]
    }),
  )
}

async function stats(): Promise<Map<string, string>> {
  const text = await raw(server, 'stats')
  return new Map(
    [...text.matchAll(/^STAT (\S+) (\S+)\r$/gm)].map(([, name = '', count = '']) => [name, count]),
  )
}

test('a lock that nobody else wants: one flight to take it, one command to free it', async () => {
  const lock = open(server).lock(randomUUID())
  await lock.withLock(() => undefined)
  expect(await commandsOf(() => lock.withLock(() => undefined))).toEqual({
    cmd_set: 1,
    cmd_get: 1,
    delete_hits: 1,
  })
})

test('handed over within the process: none', async () => {
  const holdfast = open(server, { handOverSliceMs: 60_000 })
  const lock = holdfast.lock(randomUUID())
  const hold = await lock.acquire()
  const waiting = Array.from({ length: 10 }, () => lock.withLock(() => undefined))
  await until(() => holdfast.census.calls === 10, { what: 'they wait' })
  const cost = await commandsOf(async () => {
    await hold.release()
    await Promise.all(waiting)
  })
  expect(cost).toEqual({ delete_hits: 1 })
})

test('a nested hold asks once at its beginning and once at its end', async () => {
  const lock = open(server).lock(randomUUID())
  await lock.withLock(async () => {
    expect(await commandsOf(() => lock.withLock(() => undefined))).toEqual({ cmd_set: 1, cmd_get: 1 })
  })
})

test('a renewal is one command', async () => {
  const holdfast = open(server, { watchdogMs: 9_000 })
  const holds = await Promise.all(Array.from({ length: 50 }, () => holdfast.lock(randomUUID()).acquire()))
  const renewed = journalOf(holdfast, 'renewed')
  const cost = await commandsOf(() => until(() => renewed.length >= 50, { what: 'each is renewed' }))
  expect(renewed).toHaveLength(50)
  expect(cost).toEqual({ cmd_set: 50 })
  await Promise.all(holds.map((hold) => hold.release()))
})
