import { describe, expect, test } from 'vitest'
import { StoreError } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { Assembly } from './assembly.js'

const NAME = 'lock'

describe.each([3, 5])('votes of %i servers', (count) => {
  const spares = (count - 1) / 2

  const assembly = duringEach(() => new Assembly(count))

  test.each(['gone', 'mute', 'frozen'] as const)(
    'redisson#1175: a minority that is %s keeps nobody out',
    async (conduct) => {
      for (const server of assembly.servers.slice(0, spares)) server.conduct = conduct
      const lock = assembly.holdfast().lock(NAME)
      const hold = await assembly.outcome(lock.acquire())
      expect(await assembly.outcome(assembly.holdfast().lock(NAME).tryAcquire())).toBeNull()
      await assembly.outcome(hold.release())
      for (const server of assembly.servers) server.recover()
      await assembly.nothingLeft(NAME)
    },
  )

  test('a minority that is frozen does not hold up the first call either', async () => {
    for (const server of assembly.servers.slice(0, spares)) server.conduct = 'frozen'
    const hold = await assembly.outcome(assembly.holdfast().lock(NAME).acquire({ waitMs: 50 }))
    await assembly.outcome(hold.release())
    for (const server of assembly.servers) server.recover()
    await assembly.nothingLeft(NAME)
  })

  test.each(['gone', 'mute', 'frozen'] as const)(
    'node-redlock#282, #288, #284: a majority that is %s: an error that says which and why, in time, and nothing is left',
    async (conduct) => {
      const away = assembly.servers.slice(0, spares + 1)
      for (const server of away) server.conduct = conduct
      const lock = assembly.holdfast().lock(NAME)
      const startedAt = assembly.clock.now()
      const error = await assembly.outcome(lock.tryAcquire().catch((reason: unknown) => reason))
      expect(error).toBeInstanceOf(StoreError)
      expect(error).toMatchObject({ transient: true, lockName: NAME })
      expect(String(error)).toContain(`${spares + 1} of ${count} servers failed: members[0] (`)
      expect(assembly.clock.now() - startedAt).toBeLessThan(1_000)
      for (const server of away) server.recover()
      await assembly.nothingLeft(NAME)
    },
  )

  test('a vote that comes after the lock was granted belongs to it, and is released with it', async () => {
    assembly.server(0).delayMs = 50
    const hold = await assembly.outcome(assembly.holdfast().lock(NAME).acquire({ leaseMs: 60_000 }))
    await assembly.clock.advance(100)
    expect(await assembly.votes(NAME)).toEqual(assembly.servers.map(() => hold.owner))
    await assembly.outcome(hold.release())
    await assembly.nothingLeft(NAME)
  })

  test('a vote that comes after the attempt has failed is given back when it comes', async () => {
    for (const server of assembly.servers) server.delayMs = 300
    const lock = assembly.holdfast({}, { serverTimeoutMs: 100 }).lock(NAME)
    const error = await assembly.outcome(lock.tryAcquire().catch((reason: unknown) => reason))
    expect(error).toMatchObject({ code: 'STORE_ERROR', reason: 'timeout' })
    await assembly.clock.advance(2_000)
    await assembly.nothingLeft(NAME)
  })

  test('split votes: of clients that each have some, one gets the lock, and the others after it', async () => {
    const locks = Array.from({ length: count }, () => assembly.holdfast().lock(NAME))
    let inside = 0
    let most = 0
    const sections = locks.map((lock) =>
      lock.withLock(async () => {
        inside += 1
        most = Math.max(most, inside)
        await new Promise<void>((resolve) => void assembly.clock.startTimer(resolve, 5))
        inside -= 1
      }),
    )
    await assembly.outcome(Promise.all(sections))
    expect(most).toBe(1)
    await assembly.nothingLeft(NAME)
  })

  test('who has the first server’s vote is let in when the others give theirs back', async () => {
    // What a competitor holds that has just lost the tie.
    const rest = await Promise.all(
      assembly.servers.slice(1).map((_, index) =>
        assembly
          .single(index + 1)
          .lock(NAME)
          .acquire({ leaseMs: 60_000 }),
      ),
    )
    for (const server of assembly.servers) server.delayMs = 2
    const trying = assembly.holdfast().lock(NAME).tryAcquire()
    await assembly.clock.advance(5)
    await Promise.all(rest.map((hold) => hold.release()))
    const hold = await assembly.outcome(trying)
    expect(hold).not.toBeNull()
    await assembly.outcome(Promise.resolve(hold?.release()))
    await assembly.nothingLeft(NAME)
  })

  test('failed attempts of others wake nobody: while it is held, nothing is sent', async () => {
    // The last server has lost its vote, so that every attempt gets that one and gives it back.
    const holder = assembly.holdfast().lock(NAME)
    assembly.server(count - 1).conduct = 'gone'
    const hold = await assembly.outcome(holder.acquire({ leaseMs: 600_000 }))
    assembly.server(count - 1).recover()
    const waiting = [1, 2, 3].map(() => assembly.holdfast().lock(NAME).acquire())
    await assembly.clock.advance(1_000)
    const sent = assembly.server(0).count('acquire')
    await assembly.clock.advance(60_000)
    expect(assembly.server(0).count('acquire')).toBe(sent)
    await hold.release()
    for (const each of waiting) each.then((next) => next.release()).catch(() => undefined)
    await assembly.outcome(Promise.all(waiting))
    await assembly.nothingLeft(NAME)
  })
})
