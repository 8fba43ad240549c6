/** What observers hear, over a store that fails for a moment, in virtual time. */
import { expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { Holdfast } from '../../src/index.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { FarRows } from '../liveness/far-rows.js'
import { Network } from '../liveness/network.js'

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
