import { expect } from 'vitest'
import type { RedisClient } from '../../src/index.js'

/** A lock as it lies in Redis: what HGETALL says, and when its lease ends. */
interface Evidence {
  readonly fields: unknown
  readonly leftMs: number
  readonly endsAt: number
  readonly seenAt: number
}

async function take(client: RedisClient, key: string): Promise<Evidence> {
  const seenAt = performance.now()
  const fields = await client.call('HGETALL', key)
  const leftMs = Number(await client.call('PTTL', key))
  const endsAt = Number(await client.call('PEXPIRETIME', key))
  return { fields, leftMs, endsAt, seenAt }
}

/** Does something, and makes sure that it has changed nothing of the lock in Redis: not the holds, not the end of the lease. */
export async function changesNothing<Result>(
  client: RedisClient,
  key: string,
  act: () => Promise<Result>,
): Promise<Result> {
  const before = await take(client, key)
  const result = await act()
  const after = await take(client, key)
  expect(after.fields).toEqual(before.fields)
  expect(after.endsAt).toBe(before.endsAt)
  expect(after.leftMs).toBeLessThanOrEqual(before.leftMs)
  // No more of it is gone than the time between.
  expect(after.leftMs).toBeGreaterThanOrEqual(before.leftMs - (performance.now() - before.seenAt) - 2)
  return result
}

/** What a promise rejects with. */
export async function rejection(of: Promise<unknown>): Promise<unknown> {
  try {
    await of
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
