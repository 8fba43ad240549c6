/** A process has one place in the store's line, and no two of its calls ask under its owner at once. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Holdfast, type Lock, StoreError } from '../../src/index.js'
import type { StoreLine } from '../../src/port/lock-port.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { BUSY, GRANTED, ScriptedPort, settle, storeOn } from './scripted-port.js'

class PortWithLine extends ScriptedPort {
  override line: StoreLine | undefined = { placeMs: 30_000, hears: () => false }
}

const REFUSED = new StoreError('out-of-memory', 'acquire', { transient: false })

let port: PortWithLine
let holdfast: Holdfast
let lock: Lock

beforeEach(() => {
  port = new PortWithLine(true)
  holdfast = new Holdfast(storeOn(new VirtualClock(), port))
  lock = holdfast.lock('lock')
})
afterEach(async () => {
  const closing = holdfast.close()
  for (let turn = 0; turn < 20; turn += 1) {
    await settle()
    for (const { answer } of port.acquires.all) answer(BUSY)
    for (const { answer } of port.abandons.all) answer()
  }
  await closing
})

/** A call that waits, with its place in line. */
async function inLine(
  signal?: AbortSignal,
): Promise<{ readonly place: string; readonly ended: Promise<unknown> }> {
  const ended = lock.acquire(signal ? { signal } : {}).catch((error: unknown) => error)
  for (let question = 0; question < 2; question += 1) {
    await settle()
    port.acquires.last.answer(BUSY)
  }
  await settle()
  const { request } = port.acquires.last
  expect(request.waits).toBe(true)
  return { place: request.owner, ended }
}

function news(): void {
  port.watches.last.request.onNews()
}

test('a single attempt asks for itself, whether or not the contender asks', async () => {
  const { place } = await inLine()
  for (const asking of [false, true]) {
    if (asking) news()
    await settle()
    const attempt = lock.tryAcquire()
    await settle()
    expect(port.acquires.last.request.owner).not.toBe(place)
    port.acquires.last.answer(BUSY)
    expect(await attempt).toBeNull()
  }
  expect(port.abandons.all).toHaveLength(0)
})

test('a place whose question was refused for good is left', async () => {
  const { place, ended } = await inLine()
  news()
  await settle()
  port.acquires.last.fail(REFUSED)
  expect(await ended).toBe(REFUSED)
  await settle()
  expect(port.abandons.all.map(({ request }) => request.owner)).toEqual([place])
})

test('a place on which nobody waits any more is left', async () => {
  const controller = new AbortController()
  const { place, ended } = await inLine(controller.signal)
  controller.abort()
  await ended
  await settle()
  expect(port.abandons.all.map(({ request }) => request.owner)).toEqual([place])
})

test('faults B9, O1: a place by which a call enters is not left, though the store keeps no line any more', async () => {
  const { place, ended } = await inLine()
  port.line = undefined
  news()
  await settle()
  expect(port.acquires.last.request.owner).toBe(place)
  port.acquires.last.answer(GRANTED)
  expect(await ended).not.toBeInstanceOf(Error)
  await settle()
  expect(port.abandons.all).toHaveLength(0)
})
