import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LockTimeoutError } from '../../src/index.js'
import { Assembly, NAME } from './assembly.js'

const LEASE_MS = 60_000

/** Which of two others has each server's vote; undefined: nobody. */
const splits: ReadonlyArray<readonly [string, ReadonlyArray<string | undefined>]> = [
  ['one each of three', [undefined, 'a', 'b']],
  ['one and two of five, and two are free', [undefined, 'a', 'b', 'b', undefined]],
  ['two each of five', [undefined, 'a', 'a', 'b', 'b']],
]

describe.each(splits)('H22: votes are split between two others: %s', (_, votes) => {
  let assembly: Assembly
  let taken: Array<() => Promise<void>>

  beforeEach(async () => {
    assembly = new Assembly(votes.length)
    taken = []
    for (const [index, voter] of votes.entries()) {
      if (voter === undefined) continue
      const hold = await assembly.single(index).acquire({ leaseMs: LEASE_MS })
      taken.push(() => hold.release())
    }
  })
  afterEach(() => assembly.end())

  const own = (): Promise<Array<string | undefined>> =>
    assembly.votes().then((now) => now.filter((__, index) => votes[index] === undefined))

  test.each([0, 1, 20, 60, 100, 150, 199, 201, 400])(
    'with %i ms to wait the lock is busy, in time',
    async (waitMs) => {
      for (const server of assembly.servers) server.delayMs = 3
      const lock = assembly.lock()
      const startedAt = assembly.clock.now()
      expect(await assembly.outcome(lock.tryAcquire({ waitMs }))).toBeNull()
      // Virtual time passes by 10 ms. The store has 100 ms for its answer, however short the wait.
      expect(assembly.clock.now() - startedAt).toBeLessThanOrEqual(Math.max(waitMs, 200) + 20)
      await assembly.clock.advance(20)
      expect(await own()).toEqual((await own()).map(() => undefined))
    },
  )

  test('its lease is told, not the pause until the next attempt', async () => {
    const holdfast = assembly.holdfast()
    const told: number[] = []
    holdfast.on('waiting', ({ remainingMs }) => told.push(remainingMs))
    const lock = holdfast.lock(NAME)
    const error = await assembly.outcome(lock.acquire({ waitMs: 1_000 }).catch((reason: unknown) => reason))
    expect(error).toBeInstanceOf(LockTimeoutError)
    const [, leftMs] = /with (\d+) ms of its lease left/.exec(String(error)) ?? []
    expect(Number(leftMs)).toBeGreaterThan(LEASE_MS - 2_000)
    expect(told).toEqual([expect.closeTo(LEASE_MS, -3)])
  })

  test('an abort ends it at once, and nothing is asked or kept after', async () => {
    for (const server of assembly.servers) server.delayMs = 2
    const lock = assembly.lock()
    const abort = new AbortController()
    const trying = lock.tryAcquire({ signal: abort.signal }).catch(() => 'aborted')
    await assembly.clock.advance(5)
    abort.abort()
    expect(await trying).toBe('aborted')
    const sent = assembly.servers.map((server) => server.count('acquire'))
    await assembly.clock.advance(10)
    expect(await own()).toEqual((await own()).map(() => undefined))
    await assembly.clock.advance(1_000)
    expect(assembly.servers.map((server) => server.count('acquire'))).toEqual(sent)
  })

  test('who waits does not poll, and has the lock when a majority is free', async () => {
    const waiting = assembly.lock().acquire()
    await assembly.clock.advance(30_000)
    for (const server of assembly.servers) expect(server.count('acquire')).toBeLessThan(150)
    for (const release of taken) await release()
    const freeAt = assembly.clock.now()
    const hold = await assembly.outcome(waiting)
    expect(assembly.clock.now() - freeAt).toBeLessThan(300)
    await hold.release()
    await assembly.nothingLeft()
  })
})

/** The third, or the last two of five, do not answer. */
const silences: ReadonlyArray<readonly [string, ReadonlyArray<string | undefined | 'silent'>]> = [
  ['one of three', [undefined, 'a', 'silent']],
  ['one of five, and two others are split', [undefined, 'a', 'b', undefined, 'silent']],
  ['two of five', [undefined, 'a', undefined, 'silent', 'silent']],
]

describe.each(silences)('H22: a server that is silent may have the vote that decides: %s', (_, votes) => {
  test.each([0, 1, 50, 100, 150, 199, 201, 400])(
    'with %i ms to wait the lock is busy, in time, and no vote is left',
    async (waitMs) => {
      const assembly = new Assembly(votes.length)
      const lock = assembly.lock()
      await assembly.outcome(lock.acquire().then((hold) => hold.release()))
      const taken = new Map<string, number>()
      for (const [index, vote] of votes.entries()) {
        const server = assembly.server(index)
        if (vote === 'silent') server.delayMs = 60_000
        else if (vote !== undefined) {
          await assembly.single(index).acquire({ leaseMs: LEASE_MS })
          taken.set(vote, index)
        }
      }
      const startedAt = assembly.clock.now()
      expect(await assembly.outcome(lock.tryAcquire({ waitMs }))).toBeNull()
      expect(assembly.clock.now() - startedAt).toBeLessThanOrEqual(Math.max(waitMs, 200) + 20)
      await assembly.clock.advance(20)
      const left = await assembly.votes()
      expect(left.map((vote) => vote !== undefined)).toEqual(
        votes.map((_vote, index) => [...taken.values()].includes(index)),
      )
      await assembly.end()
    },
  )
})
