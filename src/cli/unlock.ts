import { exitCodes } from './exit-codes.js'
import { CliError, usageError } from './failure.js'
import type { Family } from './family.js'
import { firstAnswer } from './first-answer.js'
import { flagOf, type KindFlag, sidesOf } from './kind-flag.js'
import { holderText, isLocked, type LockView, leaseText, nounOf } from './lock-view.js'
import type { Output } from './output.js'
import { ask, canAsk } from './question.js'
import type { Server } from './server.js'

export interface UnlockOptions {
  readonly force: boolean
  readonly yes: boolean
  /** The kind of lock, if several have the name. */
  readonly kind?: KindFlag
}

/** Checks the options before anything is sent. */
export function checkUnlock({ force, yes }: UnlockOptions): void {
  if (!force) {
    throw usageError(
      'Only its holder can unlock a lock; to free it without the holder, add --force. The work that it guards may still be running.',
    )
  }
  if (!yes && !canAsk()) throw usageError('There is no terminal to ask on. If you are sure, add --yes.')
}

/** Frees a lock, whatever its owner, once the user has confirmed that. */
export async function unlock(
  server: Server,
  name: string,
  { yes, kind }: UnlockOptions,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  const before = choose(await firstAnswer(server.catalogue.look(name), output), kind)
  const flag = kind ?? flagOf(before) ?? 'lock'
  if (isLocked(before) && !yes) {
    if (!(await ask(questionOf(before), signal))) {
      output.note('declined', `lock "${name}" is unchanged`, { name })
      return exitCodes.declined
    }
    assertUnchanged(before, choose(await server.catalogue.look(name), kind ?? flagOf(before)))
  }
  const unlocked = await free(server.family, flag, before)
  output.result(() => outcomeText(before, unlocked), {
    name,
    kind: before.kind ?? null,
    unlocked,
    owners: unlocked ? before.owners.map(({ owner, holds }) => ({ owner, holds })) : [],
  })
  return exitCodes.ok
}

/** Frees all sides that are held; returns whether there were any. */
export async function free(family: Family, flag: KindFlag, lock: LockView): Promise<boolean> {
  let unlocked = false
  for (const side of sidesOf(flag, lock)) {
    if (await family.forceUnlock(side, lock.name)) unlocked = true
  }
  return unlocked
}

/** The lock that the user means: the one of that kind, or the only one that is held. */
function choose(locks: readonly LockView[], kind: KindFlag | undefined): LockView {
  const [first] = locks
  if (first === undefined) throw new Error('Whatever the name, there is something to look at.')
  if (kind !== undefined) {
    const meant = locks.find((each) => flagOf(each) === kind)
    if (meant) return meant
    const number = locks.find((each) => each.number !== undefined)
    // The number may be what the user says.
    if (number && kind === 'latch') return asLatch(number)
    return { name: first.name, kind: undefined, owners: [], remainingMs: 0 }
  }
  const held = locks.filter(isLocked)
  if (held.length > 1) {
    const flags = held.map((each) => flagOf(each)).join(', ')
    throw usageError(`Several locks named "${first.name}" are held (${flags}). Choose one with --kind.`)
  }
  const one = held[0] ?? first
  if (one.number !== undefined) {
    throw usageError(
      `"${one.name}" is the number ${one.number}: a semaphore without a known holder of permits, or a latch. ` +
        'If it is a latch, --kind latch opens it.',
    )
  }
  return one
}

function asLatch({ name, number = 0 }: LockView): LockView {
  const remainingMs = number > 0 ? Infinity : 0
  return { name, kind: 'count-down latch', owners: [], remainingMs, count: number }
}

function questionOf(lock: LockView): string {
  if (lock.count !== undefined)
    return `${nounOf(lock)} is closed, ${lock.count} to be counted down. Open it? [y/N] `
  return (
    `${nounOf(lock)} is held by ${holderText(lock)}, its lease ${leaseText(lock)}.\n` +
    'If its work is still running, other work may then run at the same time. Free it? [y/N] '
  )
}

/** The user's answer covered only the holders that were shown. */
function assertUnchanged(before: LockView, now: LockView): void {
  const shown = before.owners.map(({ owner }) => owner)
  if (now.owners.every(({ owner }) => shown.includes(owner))) return
  throw new CliError(
    exitCodes.busy,
    'HOLDER_CHANGED',
    `${nounOf(now)} has a new holder since: ${holderText(now)}. It is unchanged; look again.`,
    { lock: now.name },
  )
}

function outcomeText(before: LockView, unlocked: boolean): string {
  const noun = nounOf(before)
  if (before.count !== undefined) return `${noun} ${unlocked ? 'is open now' : 'was open'}.`
  if (!unlocked) return `${noun} was free.`
  return `${noun} is free; it was held by ${holderText(before)}.`
}
