import { describe, expect, test } from 'vitest'
import { calls } from '../fault/proxied-command.js'
import { Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'

const LOCKS = 200
const WATCHDOG_MS = 3_000

/** Design section 7: one pipelined batch per third of the watchdog. */
describe.each([
  { where: 'RESP3', library: 'ioredis-6' as const },
  { where: 'RESP2', library: 'ioredis-5' as const },
])(`renewing ${LOCKS} locks ($where)`, ({ library }) => {
  const scene = duringEach(() => Scene.counted(library))

  test('redisson#6962, #6303: is one flight per third of the watchdog, with no command waiting for an answer', async () => {
    const holdfast = scene.holdfast({ watchdogMs: WATCHDOG_MS })
    let renewed = 0
    let sentByThen = 0
    holdfast.on('renewed', () => {
      renewed += 1
      // Looked at now: whoever looks later may see the next round.
      if (renewed === 4 * LOCKS) sentByThen = tally?.labels.length ?? 0
    })
    let tally: ReturnType<typeof scene.proxy.tally> | undefined
    const names = Array.from({ length: LOCKS }, (_, index) => `${scene.name}:${index}`)
    const holds = await Promise.all(names.map((name) => holdfast.lock(name).acquire()))
    // After this round the server knows the script.
    await eventually(() => renewed === LOCKS)

    const holding = scene.holdReply(calls('renew'))
    const round = scene.proxy.tally()
    tally = round
    const held = await holding
    // While no answer gets through, all of them are on their way.
    await eventually(() => round.labels.length >= LOCKS)
    held.letGo()
    await eventually(() => renewed === 2 * LOCKS)
    expect(round.labels).toEqual(names.map(() => 'renew'))
    expect(new Set(round.commands.map(({ words }) => words[3])).size).toBe(LOCKS)
    expect(round.flights).toBe(1)

    // Two more rounds, a third apart.
    const startedAt = performance.now()
    await eventually(() => renewed >= 4 * LOCKS)
    expect(sentByThen).toBe(3 * LOCKS)
    expect(performance.now() - startedAt).toBeGreaterThan(WATCHDOG_MS / 3)
    await Promise.all(holds.map((hold) => hold.release()))
  })
})
