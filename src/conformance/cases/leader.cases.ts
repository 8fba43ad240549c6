import { describe, expect, test } from 'vitest'
import {
  ClosedError,
  type Election,
  InvalidArgumentError,
  type LeaderState,
  LockLostError,
  type TermEnd,
} from '../../index.js'
import { Candidate } from '../candidate.js'
import { untilIdle, untilWaiting } from '../idle.js'
import { journalOf } from '../journal.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'

/** One leader among processes: `holdfast.leader`. */
export function leaderCases(place: Place): void {
  describe('leader', () => {
    const untilLeads = (candidate: Candidate): Promise<boolean> => place.eventually(() => candidate.leads)

    test('E1: of many candidates one leads, whatever happens: nobody is elected while another believes to lead', async () => {
      const name = place.lockName()
      const candidates: Candidate[] = []
      let seen = 0
      const look = (): void => {
        expect(candidates.filter(({ leads }) => leads).length).toBeLessThanOrEqual(1)
        seen += 1
      }
      for (let index = 0; index < 4; index += 1) {
        const holdfast = place.holdfast({ watchdogMs: place.lease(900) })
        const candidate = new Candidate(holdfast, name)
        candidates.push(candidate)
      }
      const elected = (): number => candidates.reduce((sum, { terms }) => sum + terms.length, 0)
      const one = (): Candidate | undefined => candidates.find(({ leads }) => leads)
      for (let round = 1; round <= 6; round += 1) {
        await place.eventually(() => {
          look()
          return elected() >= round && one() !== undefined
        })
        const leader = one()
        if (round % 2 === 0) await leader?.holdfast.fencedLock(name).forceUnlock()
        else await inTime(place, leader?.election.resign() ?? Promise.resolve())
        look()
      }
      const fences = candidates.flatMap(({ terms }) => terms.map(({ fence }) => fence))
      expect(new Set(fences).size).toBe(fences.length)
      expect(seen).toBeGreaterThan(6)
      await Promise.all(candidates.map(({ election }) => inTime(place, election.stop())))
    })

    test('E1, L3: the term ends by the candidate’s own clock before another is elected; the fence grows', async () => {
      const name = place.lockName()
      const log: string[] = []
      const watchdogMs = place.lease(2_400)
      const first = new Candidate(place.holdfast({ watchdogMs }), name, log, 'first')
      await untilLeads(first)
      const term = first.last
      term.assertLeading()
      expect(term.remainingMs()).toBeGreaterThan(0)
      const second = new Candidate(place.holdfast({ watchdogMs }), name, log, 'second')
      // The first client stops talking to the store at once, without a word to it.
      await first.holdfast.close()
      expect(term.signal.reason).toBeInstanceOf(ClosedError)
      expect(() => term.assertLeading()).toThrow(ClosedError)
      expect(first.leads).toBe(false)
      await untilLeads(second)
      expect(log).toEqual(['first elected', 'first closed', 'second elected'])
      expect(second.last.fence).toBeGreaterThan(term.fence)
      await inTime(place, second.election.stop())
    })

    test('E2: candidates of several processes are elected in the order in which they came', async () => {
      const name = place.lockName()
      const candidates: Candidate[] = []
      const lock = place.holdfast().fencedLock(name)
      for (let index = 0; index < 4; index += 1) {
        const candidate = new Candidate(place.holdfast(), name)
        candidates.push(candidate)
        if (index === 0) await untilLeads(candidate)
        else await untilWaiting(place, lock, index)
      }
      const order: number[] = []
      for (let round = 0; round < 4; round += 1) {
        await place.eventually(() => candidates.some(({ leads }) => leads))
        const index = candidates.findIndex(({ leads }) => leads)
        order.push(index)
        await inTime(place, candidates[index]?.election.stop() ?? Promise.resolve())
      }
      expect(place.traits.fifo && place.countsWaiters ? order : order.toSorted()).toEqual([0, 1, 2, 3])
    })

    test('E3: a leader that resigns hands over when its work has ended, and stands again behind the others', async () => {
      const name = place.lockName()
      let finish: (() => void) | undefined
      const log: string[] = []
      const busy = place.holdfast().leader(name, {
        onElected: async (term) => {
          log.push('busy elected')
          await new Promise<void>((resolve) => {
            finish = resolve
          })
          log.push(`busy done, aborted: ${term.signal.aborted}`)
        },
        onRevoked: (end) => log.push(`busy ${end}`),
      })
      await place.eventually(() => finish !== undefined)
      const next = new Candidate(place.holdfast(), name, log, 'next')
      await untilWaiting(place, place.holdfast().fencedLock(name), 1)
      const resigned = busy.resign()
      expect(busy.term).toBeUndefined()
      finish?.()
      await inTime(place, resigned)
      await untilLeads(next)
      expect(log.slice(0, 4)).toEqual([
        'busy elected',
        'busy resigned',
        'busy done, aborted: true',
        'next elected',
      ])
      await inTime(place, next.election.stop())
      await place.eventually(() => busy.term !== undefined)
      finish?.()
      await inTime(place, busy.stop())
      expect(await next.election.current()).toBeUndefined()
    })

    test.each(['term.resign() in onElected', 'election.stop() in onElected', 'election.stop() in onRevoked'])(
      'E3: a callback may wait for its own term to end: %s',
      async (way) => {
        const name = place.lockName()
        let revoked = 0
        const election: Election = place.holdfast().leader(name, {
          onElected: async (term) => {
            // Once: with no other candidate the next term is its own again.
            if (way === 'term.resign() in onElected' && revoked === 0) await term.resign()
            if (way === 'election.stop() in onElected') await election.stop()
          },
          onRevoked: async () => {
            if (way === 'election.stop() in onRevoked') await election.stop()
            revoked += 1
          },
        })
        if (way === 'election.stop() in onRevoked') {
          await place.eventually(() => election.term !== undefined)
          await inTime(place, election.resign())
        }
        await place.eventually(() => revoked > 0)
        await inTime(place, election.stop())
        expect(await election.current()).toBeUndefined()
        const next = new Candidate(place.holdfast(), name)
        await untilLeads(next)
        await inTime(place, next.election.stop())
      },
    )

    test('E4: a term that is lost is told with the loss, and the candidate stands again', async () => {
      const name = place.lockName()
      const candidate = new Candidate(place.holdfast(), name)
      await untilLeads(candidate)
      const term = candidate.last
      await candidate.holdfast.fencedLock(name).forceUnlock()
      expect(term.signal.reason).toBeInstanceOf(LockLostError)
      expect(() => term.assertLeading()).toThrow(LockLostError)
      await place.eventually(() => candidate.terms.length === 2)
      expect(candidate.ends).toEqual(['lost'])
      expect(candidate.last.fence).toBeGreaterThan(term.fence)
      await inTime(place, candidate.election.stop())
      expect(candidate.ends).toEqual(['lost', 'resigned'])
    })

    test('E4: onElected that fails ends the term with its error, and the candidate stands again', async () => {
      const holdfast = place.holdfast()
      const errors = journalOf(holdfast, 'error')
      const own = new Error('own')
      const ends: unknown[] = []
      let elected = 0
      const election = holdfast.leader(place.lockName(), {
        onElected: () => {
          elected += 1
          if (elected === 1) throw own
        },
        onRevoked: (...ended) => ends.push(ended),
      })
      await place.eventually(() => elected === 2 && election.term !== undefined)
      expect(ends).toEqual([['failed', own]])
      expect(errors).toEqual([own])
      await inTime(place, election.stop())
    })

    test('a term goes on after onElected has returned, and its work enters other locks and leaves them', async () => {
      const name = place.lockName()
      const holdfast = place.holdfast()
      const other = holdfast.lock(place.lockName())
      let done = false
      const election = holdfast.leader(name, {
        onElected: async () => {
          await other.withLock(() => other.withLock(() => undefined))
          done = true
        },
      })
      await place.eventually(() => done)
      // The leader's own lock is held; nobody holds the other.
      await place.eventually(async () => !(await other.isLocked()))
      expect(election.term).toBeDefined()
      await inTime(place, election.stop())
      expect(election.term).toBeUndefined()
      await untilIdle(place, holdfast)
    })

    test('closing the client ends a candidacy and what observers read, and leaves nothing', async () => {
      const name = place.lockName()
      const [leading, waiting] = [new Candidate(place.holdfast(), name), place.holdfast()]
      await untilLeads(leading)
      const candidate = new Candidate(waiting, name)
      const seen: Array<LeaderState | undefined> = []
      const watching = rejectionOf(
        (async () => {
          for await (const leader of waiting.leader(name).watch()) seen.push(leader)
        })(),
      )
      await inTime(place, leading.holdfast.close({ drainMs: 60_000 }))
      expect(leading.ends).toEqual(['resigned'])
      await untilLeads(candidate)
      await waiting.close()
      expect(await inTime(place, watching)).toBeInstanceOf(ClosedError)
      await inTime(place, candidate.election.stop())
      expect(candidate.ends).toEqual(['closed'])
    })

    test('a signal ends a candidacy: in line, and in office', async () => {
      const name = place.lockName()
      const [first, second] = [new AbortController(), new AbortController()]
      const ends: TermEnd[] = []
      const leader = place.holdfast().leader(name, {
        onElected: () => undefined,
        onRevoked: (end) => ends.push(end),
        signal: first.signal,
      })
      await place.eventually(() => leader.term !== undefined)
      const holdfast = place.holdfast()
      const waiting = holdfast.leader(name, {
        onElected: () => expect.unreachable(),
        signal: second.signal,
      })
      second.abort()
      await inTime(place, waiting.stop())
      await untilIdle(place, holdfast)
      first.abort()
      expect(leader.term).toBeUndefined()
      await inTime(place, leader.stop())
      expect(ends).toEqual(['resigned'])
      expect(await leader.current()).toBeUndefined()
    })

    test('what is no candidate is an InvalidArgumentError', () => {
      const holdfast = place.holdfast()
      const none: readonly object[] = [
        { onElected: 1 },
        { onRevoked: () => undefined },
        { signal: AbortSignal.abort() },
        { onElected: () => undefined, signal: {} },
        { onElected: () => undefined, leaseMs: 5 },
      ]
      for (const options of none) expect(() => holdfast.leader('x', options)).toThrow(InvalidArgumentError)
    })
  })
}
