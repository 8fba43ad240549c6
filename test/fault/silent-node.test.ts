import { expect, test } from 'vitest'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { eventsOf } from './heard.js'
import { Scene } from './scene.js'

const WATCHDOG_MS = 3_000

const scene = duringEach(() => Scene.cluster())
// Enough names that every node has some; the first one serves the first third of the slots.
const names = (): string[] => Array.from({ length: 30 }, (_, index) => `${scene.name}:${index}`)
const onFirstNode = (name: string): boolean => slotOf(name) <= 5_460

test('L4: a node of a cluster that is silent delays no renewal on the others', async () => {
  const holdfast = scene.holdfast({ watchdogMs: WATCHDOG_MS, commandTimeoutMs: WATCHDOG_MS })
  const holds = await Promise.all(names().map((name) => holdfast.lock(name).acquire()))
  scene.proxies[0]?.blackHole()
  const lost = new Set<string>()
  const renewed = new Set<string>()
  holdfast.on('lost', ({ name }) => lost.add(name))
  holdfast.on('renewed', ({ name }) => renewed.add(name))
  // The silent node's locks are lost when their lease is over. By then the others have been renewed, or they would be lost too.
  await eventually(() => lost.size > 0)
  await eventually(() => names().every((name) => lost.has(name) || renewed.has(name)))
  expect([...lost].filter((name) => !onFirstNode(name))).toEqual([])
  for (const hold of holds) if (!lost.has(hold.name)) hold.assertHeld()
  scene.proxies[0]?.heal()
})

test('W6: a connection to one node of a cluster that falls silent is found out while the others answer', async () => {
  const holdfast = scene.holdfast({ commandTimeoutMs: 700, watchdogMs: 6_000 })
  const lost = eventsOf(holdfast, ['lost'])
  const [there = '', another = ''] = names().filter(onFirstNode)
  const elsewhere = names().find((name) => !onFirstNode(name)) ?? ''
  const held = await holdfast.lock(another).acquire()
  await holdfast.lock(there).withLock(() => holdfast.lock(elsewhere).withLock(() => undefined))
  // New connections are good.
  for (const connection of scene.proxies[0]?.connections ?? []) connection.silence()
  let over = false
  const talking = (async () => {
    while (!over) await holdfast.lock(elsewhere).isLocked()
  })()
  try {
    await (await holdfast.lock(there).acquire()).release()
    await new Promise((resolve) => holdfast.once('renewed', resolve))
    expect(lost).toEqual([])
    await held.release()
  } finally {
    over = true
    await talking
  }
})
