/** The line in memory, in virtual time: what a real server would be waited for. */
import { beforeEach, expect, test } from 'vitest'
import { LineClient } from '../setup/port-client.js'
import { lockName, MemoryPlace } from '../setup/port-place.js'

const AWAY_MS = 10_000

let place: MemoryPlace<LineClient>
let name: string
let holder: LineClient
let waiter: LineClient
let other: LineClient

beforeEach(() => {
  place = new MemoryPlace(LineClient)
  name = lockName()
  ;[holder, waiter, other] = [place.client(), place.client(), place.client()]
})

test('H16: a process that is away too long loses its places; should it live, it is told so, and asks again', async () => {
  const first = await holder.take('lock', name)
  const lost = [await waiter.joinLine('fair', name), await waiter.joinLine('fair', name)]
  await holder.release('lock', name, first)
  await place.pass(5_000)
  // Its grant has lapsed; from now on it is away, and passed over.
  const second = await holder.take('lock', name)
  const next = await other.joinLine('lock', name)
  await holder.release('lock', name, second)
  await other.enters('lock', name, next)
  await place.pass(AWAY_MS)
  expect(await holder.ports.lock.countWatchers(name)).toBe(1)
  await place.pass(1)
  waiter.heard.length = 0
  await other.release('lock', name, next)
  await waiter.hears('fair places gone')
  expect(waiter.heard).toHaveLength(2)
  expect(await holder.ports.lock.countWatchers(name)).toBe(0)
  const third = await holder.take('lock', name)
  await waiter.refused('fair', name, lost[1] ?? third)
  await holder.release('lock', name, third)
  await waiter.enters('fair', name, lost[1] ?? third)
})

test('a process whose watch has ended is passed over, and its place goes with what abandons it', async () => {
  const first = await holder.take('lock', name)
  const gone = await waiter.joinLine('lock', name)
  const next = await other.joinLine('lock', name)
  waiter.stopListening()
  await holder.release('lock', name, first)
  await other.enters('lock', name, next)
  await waiter.abandon('lock', name, gone)
  expect(await holder.ports.lock.countWatchers(name)).toBe(0)
  await other.release('lock', name, next)
  expect(await holder.holders('lock', name)).toEqual([])
})
