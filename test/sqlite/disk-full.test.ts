/** The disk is full: calls are refused at once, and what they leave behind is put right when there is room. */
import { execFile } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Holdfast, type Lock } from '../../src/index.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import { Guard } from '../servers/guard.js'
import { eventually } from '../setup/eventually.js'

const LONG_MS = 600_000
const refused = { reason: 'out-of-memory', transient: false }

describe('a full disk', () => {
  let guard: Guard
  let mounted = false

  beforeAll(async () => {
    guard = await Guard.mount()
    mounted = await promisify(execFile)('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'none', guard.dir]).then(
      () => true,
      () => false,
    )
    if (mounted) guard.undo(`umount -l ${guard.dir}`)
  })
  beforeEach(({ skip }) => {
    if (!mounted) skip('only root makes a disk to be filled')
  })
  afterEach(() => rm(ballast(), { force: true }))
  afterAll(() => guard.dismiss())

  const ballast = (): string => join(guard.dir, 'ballast')

  function client(): Holdfast {
    const holdfast = new Holdfast(sqlite(join(guard.dir, 'locks.db')))
    onTestFinished(() => holdfast.close())
    return holdfast
  }

  async function fill(): Promise<void> {
    await using file = await open(ballast(), 'w')
    const filling = async (): Promise<never> => {
      for (;;) await file.write(Buffer.alloc(1_024))
    }
    await expect(filling()).rejects.toMatchObject({ code: 'ENOSPC' })
  }

  /** Asks until the log of the database has no room either. */
  async function untilRefused(lock: Lock): Promise<void> {
    const attempt = (): Promise<unknown> => lock.withLock(() => undefined).catch((error: unknown) => error)
    expect(await eventually(attempt)).toMatchObject(refused)
  }

  /** Until so many wait in the line that there is. */
  const untilWaiting = (holdfast: Holdfast, clients: number) =>
    eventually(
      () => holdfast.fairLock('line').countWaitingClients(),
      (count) => count === clients,
    )

  test('a lock whose release was refused is free when there is room, long before its lease ends', async () => {
    const [one, other] = [client(), client()]
    const hold = await one.lock('held').acquire({ leaseMs: LONG_MS })
    await fill()
    await untilRefused(other.lock('another'))
    await expect(hold.release()).rejects.toMatchObject(refused)
    await rm(ballast())
    await (await other.lock('held').acquire({ waitMs: 10_000 })).release()
  })

  test('W4: a call that leaves its line meanwhile leaves no place there', async () => {
    const [one, leaver, next] = [client(), client(), client()]
    const hold = await one.fairLock('line').acquire({ leaseMs: LONG_MS })
    const patience = new AbortController()
    const leaving = leaver.fairLock('line').acquire({ signal: patience.signal })
    await untilWaiting(one, 1)
    await fill()
    await untilRefused(next.lock('another'))
    patience.abort(new Error('enough'))
    await expect(leaving).rejects.toThrow('enough')
    expect(await one.fairLock('line').countWaitingClients()).toBe(1)
    await rm(ballast())
    await untilWaiting(one, 0)
    await hold.release()
  })
})
