import { describe, expect, test } from 'vitest'
import type { LeaderState } from '../../index.js'
import { Candidate } from '../candidate.js'
import { given } from '../given.js'
import { untilIdle } from '../idle.js'
import { inTime } from '../outcome.js'
import type { Place } from '../place.js'

/** What others see of a leader: `current()` and `watch()`. */
export function leaderObserversCases(place: Place): void {
  describe('leader', () => {
    const told = given(place, 'push', 'countDownLatch')
    const untilLeads = (candidate: Candidate): Promise<boolean> => place.eventually(() => candidate.leads)

    test('E5: observers see who leads and with which fence, in every process, and that nobody does', async () => {
      const name = place.lockName()
      const observer = place.holdfast().leader(name)
      expect(await observer.current()).toBeUndefined()
      const candidate = new Candidate(place.holdfast(), name)
      await untilLeads(candidate)
      const { owner, fence } = candidate.last
      for (const election of [observer, candidate.election]) {
        const leader = await election.current()
        expect(leader).toMatchObject(place.traits.namesHolder ? { owner, fence } : { fence })
        expect(leader?.remainingMs).toBeGreaterThan(0)
      }
      expect(observer.term).toBeUndefined()
      await inTime(place, candidate.election.stop())
      expect(await observer.current()).toBeUndefined()
      await observer.stop()
    })

    test('E5: a reader that leaves while it awaits a change is let go at once', async () => {
      const holdfast = place.holdfast()
      const states = holdfast.leader(place.lockName()).watch()[Symbol.asyncIterator]()
      expect(await states.next()).toEqual({ done: false, value: undefined })
      const change = states.next()
      await inTime(place, Promise.resolve(states.return?.()))
      expect(await change).toEqual({ done: true, value: undefined })
      await untilIdle(place, holdfast)
    })

    told(
      'E5: observers are told of each change long before they would look: elected, resigned, elected',
      async () => {
        const name = place.lockName()
        const observing = place.holdfast()
        const seen: Array<LeaderState | undefined> = []
        const stop = new AbortController()
        const watching = (async () => {
          for await (const leader of observing.leader(name).watch({ signal: stop.signal })) seen.push(leader)
        })()
        await place.eventually(() => seen.length === 1)
        expect(seen).toEqual([undefined])
        const startedAt = place.now()
        const first = new Candidate(place.holdfast(), name)
        await place.eventually(() => seen.length === 2)
        // The store may tell an observer sooner than its answer reaches who is elected.
        await untilLeads(first)
        expect(seen[1]).toMatchObject({ owner: first.last.owner, fence: first.last.fence })
        await inTime(place, first.election.stop())
        await place.eventually(() => seen.at(-1) === undefined)
        const second = new Candidate(place.holdfast(), name)
        await place.eventually(() => seen.at(-1)?.fence === second.terms.at(-1)?.fence && second.leads)
        // Nobody has called who looks when a lease has ended: that takes the watchdog's 30 s.
        expect(place.now() - startedAt).toBeLessThan(25_000)
        stop.abort()
        await inTime(place, watching)
        await inTime(place, second.election.stop())
        await untilIdle(place, observing)
      },
    )

    test('E5: an observer learns of a leader that died when its lease has ended', async () => {
      const name = place.lockName()
      const watchdogMs = place.lease(900)
      const first = new Candidate(place.holdfast({ watchdogMs }), name)
      await untilLeads(first)
      const observing = place.holdfast({ watchdogMs })
      const seen: Array<LeaderState | undefined> = []
      const stop = new AbortController()
      const watching = (async () => {
        for await (const leader of observing.leader(name).watch({ signal: stop.signal })) seen.push(leader)
      })()
      await place.eventually(() => seen.length >= 1)
      await first.holdfast.close()
      await place.eventually(() => seen.at(-1) === undefined)
      stop.abort()
      await inTime(place, watching)
    })
  })
}
