import { exitCodes } from './exit-codes.js'
import { CliError, usageError } from './failure.js'
import { holderText, isLocked, type LockView, leaseText, view } from './lock-view.js'
import type { Output } from './output.js'
import { printable } from './printable.js'
import { ask, canAsk } from './question.js'
import type { Server } from './server.js'

export interface UnlockOptions {
  readonly force: boolean
  readonly yes: boolean
}

/** Says what is wrong with the options before anything is asked of the server. */
export function checkUnlock({ force, yes }: UnlockOptions): void {
  if (!force) {
    throw usageError(
      'Only its holder can unlock a lock; to free it over its head, say so with --force. The work it guards may still be running.',
    )
  }
  if (!yes && !canAsk()) throw usageError('There is no terminal to ask on. If you are sure, add --yes.')
}

/** Frees a lock whoever holds it, once somebody has confirmed that. */
export async function unlock(
  server: Server,
  name: string,
  { yes }: UnlockOptions,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  const lock = server.holdfast.lock(name)
  const before = await view(lock)
  if (isLocked(before) && !yes) {
    if (!(await ask(questionOf(before), signal))) {
      output.note('declined', `lock "${name}" was left as it is`, { name })
      return exitCodes.declined
    }
    assertUnchanged(before, await view(lock))
  }
  const unlocked = await lock.forceUnlock()
  output.result(() => outcomeText(before, unlocked), {
    name,
    unlocked,
    owners: unlocked ? before.owners.map(({ owner, holds }) => ({ owner, holds })) : [],
  })
  return exitCodes.ok
}

function questionOf(lock: LockView): string {
  return (
    `Lock "${printable(lock.name)}" is held by ${holderText(lock)}, its lease ${leaseText(lock)}.\n` +
    'If its work is still running, it will not be alone any more. Free it? [y/N] '
  )
}

/** The answer was about the holder that was shown, and about no other. */
function assertUnchanged(before: LockView, now: LockView): void {
  const held = now.owners.map(({ owner }) => owner)
  if (!isLocked(now) || before.owners.some(({ owner }) => held.includes(owner))) return
  throw new CliError(
    exitCodes.busy,
    'HOLDER_CHANGED',
    `Lock "${now.name}" changed hands meanwhile: ${holderText(now)} holds it now. It was left as it is; look again.`,
    { lock: now.name },
  )
}

function outcomeText(before: LockView, unlocked: boolean): string {
  const name = `Lock "${printable(before.name)}"`
  if (!unlocked) return `${name} was free.`
  return `${name} is free now; it was held by ${holderText(before)}.`
}
