import { afterEach, describe, expect, test } from 'vitest'
import { InvalidArgumentError, LockTimeoutError } from '../../index.js'
import { untilIdle } from '../idle.js'
import { Latch } from '../latch.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'

/** Values computed once for all, wherever they are kept. */
export function computeOnceTroubleCases(place: Place): void {
  afterEach(() => place.tidy())
  const TTL = { ttlMs: 600_000 }

  describe(`computeOnce, trouble: ${place.name}`, () => {
    test('a computation whose lock was lost is returned and not kept', async () => {
      const key = place.lockName()
      const [slow, fast] = [place.holdfast(), place.holdfast()]
      const value = await slow.computeOnce(
        key,
        async (hold) => {
          await fast.lock(hold.name).forceUnlock()
          expect(await fast.computeOnce(key, () => 'fast', TTL)).toBe('fast')
          return 'slow'
        },
        TTL,
      )
      expect(value).toBe('slow')
      expect(await slow.computeOnce(key, () => 'third', TTL)).toBe('fast')
    })

    test('a lease that ends before the computation does: returned, not kept', async () => {
      const key = place.lockName()
      const holdfast = place.holdfast()
      const late = holdfast.computeOnce(
        key,
        async (hold) => {
          await place.eventually(() => hold.signal.aborted)
          return 'late'
        },
        { ...TTL, leaseMs: place.lease(50) },
      )
      expect(await inTime(place, late)).toBe('late')
      expect(await holdfast.computeOnce(key, () => 'next', TTL)).toBe('next')
    })

    test('W5: waitMs and an abort end the wait for another’s computation, and not the computation', async () => {
      const key = place.lockName()
      const [one, two] = [place.holdfast(), place.holdfast()]
      const [begun, go] = [new Latch(), new Latch()]
      const compute = async (): Promise<string> => {
        begun.open()
        await go.opened
        return 'value'
      }
      const first = one.computeOnce(key, compute, TTL)
      await begun.opened
      for (const client of [one, two]) {
        // With the connection made, the wait is spent on the computation alone.
        expect(await client.lock(key).isLocked()).toBe(false)
        const error = await rejectionOf(
          inTime(place, client.computeOnce(key, compute, { ...TTL, waitMs: place.lease(1_000) })),
        )
        expect(error).toBeInstanceOf(LockTimeoutError)
        expect(String(error)).toMatch(/ Wait longer \(waitMs\)\.$/)
        await expect(
          inTime(place, client.computeOnce(key, compute, { ...TTL, waitMs: 0 })),
        ).rejects.toBeInstanceOf(LockTimeoutError)
        const abort = new AbortController()
        const waiting = rejectionOf(client.computeOnce(key, compute, { ...TTL, signal: abort.signal }))
        abort.abort('enough')
        expect(await waiting).toBe('enough')
      }
      go.open()
      expect(await first).toBe('value')
      for (const client of [one, two]) await untilIdle(place, client)
    })

    test('a computation that asks for its own value is refused; for another’s it is not', async () => {
      const key = place.lockName()
      const holdfast = place.holdfast()
      const value = await holdfast.computeOnce(
        key,
        async () => {
          await expect(holdfast.computeOnce(key, () => 0, TTL)).rejects.toBeInstanceOf(InvalidArgumentError)
          return await holdfast.computeOnce(`${key}:part`, () => 'part', TTL)
        },
        TTL,
      )
      expect(value).toBe('part')
    })

    test('close: who computes and who waits are told', async () => {
      const key = place.lockName()
      const holdfast = place.holdfast()
      const [begun, go] = [new Latch(), new Latch()]
      const first = holdfast.computeOnce(
        key,
        async () => {
          begun.open()
          await go.opened
          return 'value'
        },
        { ...TTL, leaseMs: 600_000 },
      )
      await begun.opened
      const second = rejectionOf(holdfast.computeOnce(key, () => 'second', TTL))
      await holdfast.close()
      expect(await second).toMatchObject({ code: 'CLOSED' })
      go.open()
      expect(await rejectionOf(first)).toMatchObject({ code: 'CLOSED' })
    })

    test('bad input: a typed error, and nothing sent', async () => {
      const holdfast = place.holdfast()
      const good = [place.lockName(), () => 0, TTL]
      const bad: unknown[][] = [
        ['', ...good.slice(1)],
        [7, ...good.slice(1)],
        ['\ud800', ...good.slice(1)],
      ]
      bad.push([good[0], 'text', TTL], ['acquired', good[1]])
      for (const options of [{ ttlMs: 0 }, { ttlMs: 1.5 }, { ttlMs: Number.NaN }, { ttlMs: undefined }])
        bad.push([good[0], good[1], options])
      for (const more of [{ staleMs: -1 }, { waitMs: -1 }, { leaseMs: 9 }, { signal: 1 }, { other: 1 }]) {
        bad.push([good[0], good[1], { ...TTL, ...more }])
      }
      for (const call of bad) {
        await expect(Reflect.apply(holdfast.computeOnce, holdfast, call)).rejects.toBeInstanceOf(
          InvalidArgumentError,
        )
      }
      expect(holdfast.census.calls).toBe(0)
    })
  })
}
