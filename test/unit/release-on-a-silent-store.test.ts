/** What a release comes to that the store does not answer, and by when, in virtual time. */
import { expect, test } from 'vitest'
import type { Call } from '../../src/core/acquire/call.js'
import type { KindTraits } from '../../src/core/kind.js'
import { HoldRecord } from '../../src/core/tenure/tenure.js'
import { StoreError } from '../../src/errors/errors.js'
import type { Scope } from '../../src/identity/owner.js'
import { fencedLock, lock } from '../../src/kinds/kinds.js'
import { VirtualClock } from '../../src/memory/index.js'
import type {
  AcquireReply,
  AcquireRequest,
  HandOverRequest,
  ReleaseReply,
} from '../../src/ports/lock-port.js'
import { callFrom, root } from './scenery.js'
import { ScriptedLocker } from './scripted-locker.js'
import { ScriptedPort, settle } from './scripted-port.js'

const STORE_TIMEOUT_MS = 10_000
const TOO_LATE = { error: { code: 'STORE_ERROR', reason: 'timeout', transient: true } }

/** Grants whatever it is asked for, until it falls silent: then each command ends by its own timeout. */
class FallingSilent extends ScriptedPort {
  silent = false
  readonly sent: string[] = []

  constructor(
    private readonly clock: VirtualClock,
    private readonly commandTimeoutMs: number,
  ) {
    super(true)
  }

  override acquire({ owner }: AcquireRequest): Promise<AcquireReply> {
    return this.#answer(`acquire ${owner}`, { outcome: 'granted', fence: 1n })
  }

  override handOver({ owner }: HandOverRequest): Promise<AcquireReply> {
    return this.#answer(`handOver ${owner}`, { outcome: 'granted', fence: 2n })
  }

  override release({ owner }: HandOverRequest | { readonly owner: string }): Promise<ReleaseReply> {
    return this.#answer(`release ${owner}`, 'released')
  }

  override abandon({ owner }: AcquireRequest): Promise<void> {
    return this.#answer(`abandon ${owner}`, undefined)
  }

  async #answer<Reply>(command: string, reply: Reply): Promise<Reply> {
    this.sent.push(command)
    if (!this.silent) return reply
    await new Promise<void>((resolve) => this.clock.startTimer(resolve, this.commandTimeoutMs))
    throw new StoreError('timeout', command, { transient: true })
  }
}

interface World {
  readonly clock: VirtualClock
  readonly port: FallingSilent
  readonly scripted: ScriptedLocker
  hold(terms?: Partial<Call>): Promise<HoldRecord>
  scope(): Scope
}

function world(commandTimeoutMs: number, kind: KindTraits = lock): World {
  const clock = new VirtualClock()
  const port = new FallingSilent(clock, commandTimeoutMs)
  const settings = {
    storeTimeoutMs: STORE_TIMEOUT_MS,
    maxHandOvers: Number.POSITIVE_INFINITY,
    handOverSliceMs: 60_000,
    watchdogMs: 600_000,
  }
  const scripted = new ScriptedLocker(port, clock, settings, kind)
  const scope = (): Scope => root(scripted.owners.next())
  const hold = async (terms: Partial<Call> = {}): Promise<HoldRecord> => {
    const grant = await scripted.locker.acquire(callFrom(scope(), terms))
    if (!(grant instanceof HoldRecord)) return expect.unreachable()
    return grant
  }
  return { clock, port, scripted, hold, scope }
}

/** How it ends, and when. */
function endOf(clock: VirtualClock, work: Promise<unknown> | undefined): { at?: number; error?: unknown } {
  const end: { at?: number; error?: unknown } = {}
  work?.then(
    () => {
      end.at = clock.now()
    },
    (error: unknown) => {
      end.at = clock.now()
      end.error = error
    },
  )
  return end
}

test('H4: the hand-over that a release tries first counts as a part of it', async () => {
  const { clock, port, scripted, hold, scope } = world(3_000, fencedLock)
  const grant = await hold()
  const waiting = endOf(clock, scripted.locker.acquire(callFrom(scope())))
  await settle()
  port.silent = true
  const release = endOf(clock, scripted.locker.release(grant))
  await clock.advance(60_000)
  expect(port.sent.some((command) => command.startsWith('handOver'))).toBe(true)
  expect(release).toMatchObject(TOO_LATE)
  expect(release.at).toBeGreaterThanOrEqual(STORE_TIMEOUT_MS)
  expect(release.at).toBeLessThanOrEqual(STORE_TIMEOUT_MS + 3_000)
  expect(waiting).toMatchObject(TOO_LATE)
})

test('H4: a release behind a nested acquisition counts from when it was asked for', async () => {
  const { clock, port, scripted, hold, scope } = world(3_000)
  const outer = scope()
  const grant = await hold({ caller: outer, holder: outer })
  port.silent = true
  const nested = endOf(clock, scripted.locker.acquire(callFrom(outer, { waitMs: 0 })))
  await settle()
  const release = endOf(clock, scripted.locker.release(grant))
  await clock.advance(60_000)
  expect(nested).toMatchObject({ at: 3_000, ...TOO_LATE })
  expect(release).toMatchObject(TOO_LATE)
  expect(release.at).toBeLessThanOrEqual(STORE_TIMEOUT_MS + 3_000)
})

test.each([
  ['released', false],
  ['left taken', true],
])(
  'H4: holds of one owner that are given back together share the outage, the last one %s',
  async (_, kept) => {
    const { clock, port, scripted, hold, scope } = world(3_000)
    const outer = scope()
    const terms = { caller: outer, holder: outer }
    const grants = [await hold(terms), await hold(terms), await hold(terms)]
    const [last] = grants
    if (kept && last) last.tenure.kept = { until: clock.now() + 300_000 }
    port.silent = true
    const releases = grants.map((grant) => endOf(clock, scripted.locker.release(grant)))
    await clock.advance(60_000)
    for (const release of releases) {
      expect(release).toMatchObject(TOO_LATE)
      expect(release.at).toBeGreaterThanOrEqual(STORE_TIMEOUT_MS)
      expect(release.at).toBeLessThanOrEqual(STORE_TIMEOUT_MS + 3_000)
    }
    expect(scripted.locker.census).toMatchObject({ calls: 0, tenures: 0 })
  },
)

test('H4: a release that is asked for after another was given up has its own time', async () => {
  const { clock, port, scripted, hold, scope } = world(3_000)
  const outer = scope()
  const terms = { caller: outer, holder: outer }
  const [one, two] = [await hold(terms), await hold(terms)]
  port.silent = true
  const first = endOf(clock, scripted.locker.release(two))
  await clock.advance(11_000)
  const second = endOf(clock, scripted.locker.release(one))
  await clock.advance(5_000)
  expect(first).toMatchObject(TOO_LATE)
  expect(second).toEqual({})
  port.silent = false
  await clock.advance(4_000)
  expect(second).not.toHaveProperty('error')
  expect(second.at).toBeLessThan(20_000)
})
