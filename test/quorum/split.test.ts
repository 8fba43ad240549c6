import { describe, expect, onTestFinished, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { type Hold, LockTimeoutError } from '../../src/index.js'
import { Assembly, NAME } from './assembly.js'

const LEASE_MS = 60_000

/** Which of two others has each server's vote, or that it is silent; undefined: nobody. */
type Votes = ReadonlyArray<'a' | 'b' | 'silent' | undefined>

const splits: ReadonlyArray<readonly [string, Votes]> = [
  ['one each of three', [undefined, 'a', 'b']],
  ['one and two of five, and two are free', [undefined, 'a', 'b', 'b', undefined]],
  ['two each of five', [undefined, 'a', 'a', 'b', 'b']],
]

/** A silent server may have the vote that decides. */
const silences: ReadonlyArray<readonly [string, Votes]> = [
  ['one of three is silent', [undefined, 'a', 'silent']],
  ['one of five is silent, and two others are split', [undefined, 'a', 'b', undefined, 'silent']],
  ['two of five are silent', [undefined, 'a', undefined, 'silent', 'silent']],
]

async function divided(votes: Votes) {
  const assembly = new Assembly(votes.length)
  onTestFinished(() => assembly.end())
  const lock = assembly.lock()
  // Those that are to be silent are known from before.
  if (votes.includes('silent')) await assembly.outcome(lock.withLock(() => undefined))
  const taken: Hold[] = []
  for (const [index, vote] of votes.entries())
    if (vote === 'silent') assembly.server(index).delayMs = 60_000
    else if (vote) taken.push(await assembly.single(index).acquire({ leaseMs: LEASE_MS }))
  /** Nobody else has a vote. */
  const othersAreFree = async (): Promise<void> =>
    expect((await assembly.votes()).map((vote) => vote !== undefined)).toEqual(
      votes.map((vote) => vote === 'a' || vote === 'b'),
    )
  return { assembly, lock, taken, othersAreFree }
}

describe.each([...splits, ...silences])('H22: votes are split between others: %s', (_, votes) => {
  test.each([0, 1, 20, 50, 60, 100, 150, 199, 201, 400])(
    'with %i ms to wait the lock is busy, in time, and no vote is left',
    async (waitMs) => {
      const { assembly, lock, othersAreFree } = await divided(votes)
      for (const server of assembly.servers) server.delayMs ||= votes.includes('silent') ? 0 : 3
      const startedAt = assembly.clock.now()
      expect(await assembly.outcome(lock.tryAcquire({ waitMs }))).toBeNull()
      // Virtual time passes by 10 ms. The store has 100 ms for its answer, however short the wait.
      expect(assembly.clock.now() - startedAt).toBeLessThanOrEqual(Math.max(waitMs, 200) + 20)
      await assembly.clock.advance(20)
      await othersAreFree()
    },
  )
})

describe.each(splits)('H22: votes are split between two others: %s', (_, votes) => {
  test('its lease is told, not the pause until the next attempt', async () => {
    const { assembly } = await divided(votes)
    const holdfast = assembly.holdfast()
    const told: number[] = []
    holdfast.on('waiting', ({ remainingMs }) => told.push(remainingMs))
    const error = await assembly.outcome(rejectionOf(holdfast.lock(NAME).acquire({ waitMs: 1_000 })))
    expect(error).toBeInstanceOf(LockTimeoutError)
    const [, leftMs] = /with (\d+) ms of its lease left/.exec(String(error)) ?? []
    expect(Number(leftMs)).toBeGreaterThan(LEASE_MS - 2_000)
    expect(told).toEqual([expect.closeTo(LEASE_MS, -3)])
  })

  test('an abort ends it at once, and nothing is asked or kept after', async () => {
    const { assembly, lock, othersAreFree } = await divided(votes)
    for (const server of assembly.servers) server.delayMs = 2
    const abort = new AbortController()
    const trying = lock.tryAcquire({ signal: abort.signal }).catch(() => 'aborted')
    await assembly.clock.advance(5)
    abort.abort()
    expect(await trying).toBe('aborted')
    const sent = assembly.servers.map((server) => server.count('acquire'))
    await assembly.clock.advance(10)
    await othersAreFree()
    await assembly.clock.advance(1_000)
    expect(assembly.servers.map((server) => server.count('acquire'))).toEqual(sent)
  })

  test('who waits does not poll, and has the lock when a majority is free', async () => {
    const { assembly, lock, taken } = await divided(votes)
    const waiting = lock.acquire()
    await assembly.clock.advance(30_000)
    for (const server of assembly.servers) expect(server.count('acquire')).toBeLessThan(150)
    for (const hold of taken) await hold.release()
    const freeAt = assembly.clock.now()
    const hold = await assembly.outcome(waiting)
    expect(assembly.clock.now() - freeAt).toBeLessThan(300)
    await hold.release()
    await assembly.nothingLeft()
  })
})
