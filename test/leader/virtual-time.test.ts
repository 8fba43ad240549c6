/** Candidates that resign, and what observers hear over a store that fails for a moment. */
import { expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { Holdfast } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { FarRows } from '../liveness/far-rows.js'
import { Network } from '../liveness/network.js'

/** More than that is a loop that lets nothing else run. */
const MANY = 1_000

test('E4: a candidate alone that resigns in each onElected pauses, longer each time, before it is elected again', async () => {
  const clock = new VirtualClock()
  await using holdfast = new Holdfast(new MemoryStore(clock))
  const electedAt: number[] = []
  const election = holdfast.leader('leader', {
    async onElected(term) {
      electedAt.push(clock.now())
      if (electedAt.length < MANY) await term.resign()
      else void election.stop()
    },
  })
  await clock.advance(10_000)
  expect(electedAt.length).toBeGreaterThan(10)
  expect(electedAt.length).toBeLessThan(40)
  const [last = 0, before = 0] = electedAt.slice(-2).reverse()
  expect(last - before).toBeGreaterThanOrEqual(500)
  await election.stop()
})

test('E4: candidates that resign after a moment take turns, and neither pauses', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  await using one = new Holdfast(store)
  await using other = new Holdfast(store)
  const elected: Holdfast[] = []
  const elections = [one, other].map((holdfast) =>
    holdfast.leader('leader', {
      async onElected(term) {
        elected.push(holdfast)
        await new Promise<void>((resolve) => clock.startTimer(resolve, 10))
        await term.resign()
      },
    }),
  )
  await clock.advance(1_000)
  expect(elected.length).toBeGreaterThan(80)
  expect(elected.filter((who, index) => index > 2 && who === elected[index - 1])).toEqual([])
  const stopped = Promise.all(elections.map((election) => election.stop()))
  await clock.advance(100)
  await stopped
})

test('E5: an observer that could not listen at first does so at its next look, and then sends nothing while nothing happens', async () => {
  const clock = new VirtualClock()
  const network = new Network(clock)
  const rows = new FarRows(network)
  const [leading, observing] = [new Holdfast(rows), new Holdfast(rows)]
  const [, observer] = rows.clients
  const election = leading.leader('leader', { onElected: () => undefined })
  await clock.advance(100)
  let sent = 0
  let failed = false
  network.journey = (client, keyspace) => {
    if (client !== observer) return {}
    sent += 1
    if (failed || keyspace !== 'latch') return {}
    failed = true
    return { refused: new StoreError('unreachable', 'listen', { transient: true }) }
  }
  const seen: (bigint | undefined)[] = []
  const stop = new AbortController()
  const watch = async (): Promise<void> => {
    for await (const leader of observing.leader('leader').watch({ signal: stop.signal }))
      seen.push(leader?.fence)
  }
  const watching = watch()
  await clock.advance(2_000)
  expect(failed).toBe(true)
  sent = 0
  await clock.advance(8_000)
  expect(sent).toBe(0)
  void election.stop()
  await clock.advance(100)
  expect(seen).toEqual([1n, undefined])
  stop.abort()
  await watching
  const closing = [leading.close(), observing.close()]
  await clock.advance(60_000)
  await Promise.all(closing)
})
