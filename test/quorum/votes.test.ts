import { describe, expect, test } from 'vitest'
import { StoreError } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { Assembly, NAME } from './assembly.js'

describe.each([3, 5])('votes of %i servers', (count) => {
  const spares = (count - 1) / 2

  const assembly = duringEach(() => new Assembly(count))

  test.each(['gone', 'mute', 'frozen'] as const)(
    'redisson#1175: a minority that is %s keeps nobody out',
    async (conduct) => {
      for (const server of assembly.servers.slice(0, spares)) server.conduct = conduct
      const hold = await assembly.held({ waitMs: 50 })
      expect(await assembly.isHad()).toBe(false)
      await assembly.outcome(hold.release())
      assembly.recover()
      await assembly.nothingLeft()
    },
  )

  test.each(['gone', 'mute', 'frozen'] as const)(
    'node-redlock#282, #288, #284: a majority that is %s: an error that says which and why, in time, and nothing is left',
    async (conduct) => {
      const away = assembly.servers.slice(0, spares + 1)
      for (const server of away) server.conduct = conduct
      const lock = assembly.lock()
      const startedAt = assembly.clock.now()
      const error = await assembly.outcome(lock.tryAcquire().catch((reason: unknown) => reason))
      expect(error).toBeInstanceOf(StoreError)
      expect(error).toMatchObject({ transient: true, lockName: NAME })
      expect(String(error)).toContain(`${spares + 1} of ${count} servers failed: members[0] (`)
      expect(assembly.clock.now() - startedAt).toBeLessThan(1_000)
      for (const server of away) server.recover()
      await assembly.nothingLeft()
    },
  )

  test('a vote that comes after the lock was granted belongs to it, and is released with it', async () => {
    assembly.server(0).delayMs = 50
    const hold = await assembly.held({ leaseMs: 60_000 })
    await assembly.clock.advance(100)
    expect(await assembly.votes()).toEqual(assembly.servers.map(() => hold.owner))
    await assembly.outcome(hold.release())
    await assembly.nothingLeft()
  })

  test('a vote that comes after the attempt has failed is given back when it comes', async () => {
    for (const server of assembly.servers) server.delayMs = 300
    const lock = assembly.lock({}, { serverTimeoutMs: 100 })
    const error = await assembly.outcome(lock.tryAcquire().catch((reason: unknown) => reason))
    expect(error).toMatchObject({ code: 'STORE_ERROR', reason: 'timeout' })
    await assembly.clock.advance(2_000)
    await assembly.nothingLeft()
  })

  test('who has the first server’s vote is let in when the others give theirs back', async () => {
    // What a competitor holds that has just lost the tie.
    const rest = await Promise.all(
      assembly.servers.slice(1).map((_, index) => assembly.single(index + 1).acquire({ leaseMs: 60_000 })),
    )
    for (const server of assembly.servers) server.delayMs = 2
    const trying = assembly.lock().tryAcquire()
    await assembly.clock.advance(5)
    await Promise.all(rest.map((hold) => hold.release()))
    const hold = await assembly.outcome(trying)
    expect(hold).not.toBeNull()
    await assembly.outcome(Promise.resolve(hold?.release()))
    await assembly.nothingLeft()
  })

  test('failed attempts of others wake nobody: while it is held, nothing is sent', async () => {
    // The last server has lost its vote, so that every attempt gets that one and gives it back.
    const holder = assembly.lock()
    assembly.server(count - 1).conduct = 'gone'
    const hold = await assembly.outcome(holder.acquire({ leaseMs: 600_000 }))
    assembly.server(count - 1).recover()
    const waiting = [1, 2, 3].map(() => assembly.lock().acquire())
    await assembly.clock.advance(1_000)
    const sent = assembly.server(0).count('acquire')
    await assembly.clock.advance(60_000)
    expect(assembly.server(0).count('acquire')).toBe(sent)
    await hold.release()
    await assembly.outcome(Promise.all(waiting.map(async (each) => await (await each).release())))
    await assembly.nothingLeft()
  })
})
