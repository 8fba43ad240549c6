import { labelOf } from '../base/identity/label.js'
import { printable } from '../base/identity/printable.js'
import { endsSoon, heldSince, isOpen, type LockView, waitingCount } from './lock-view.js'
import type { Colours } from './output.js'
import { plainTable } from './plain-table.js'
import { shortened } from './shortened.js'
import { timeText } from './time-text.js'

/** Tables cut names and owners longer than this; JSON has them in full. */
const WIDEST_NAME = 60

/** A table of locks, one per line. */
export function table(locks: readonly LockView[], colours: Colours): string {
  const titles = ['NAME', 'KIND', 'OWNER', 'HOLDS', 'HELD FOR', 'LEASE LEFT', 'WAITING']
  const rows = locks.map((lock) => [
    shortened(printable(lock.name), WIDEST_NAME),
    colours.dim(kindText(lock)),
    ownerText(lock),
    (isOpen(lock) ? colours.green : colours.yellow)(holdsText(lock)),
    ageText(lock),
    leaseText(lock, colours),
    waitersText(lock, colours),
  ])
  return plainTable([titles.map(colours.dim), ...rows])
}

function kindText({ kind, mode }: LockView): string {
  return mode === undefined ? (kind ?? '') : `${mode} lock`
}

/** By its label; `inspect` shows the whole owner. A semaphore may have many holders; `inspect` shows the others. */
function ownerText({ owners: [first, ...others] }: LockView): string {
  if (first === undefined) return '-'
  const name = shortened(labelOf(first.owner) ?? printable(first.owner), WIDEST_NAME)
  return others.length === 0 ? name : `${name} and ${others.length} more`
}

/** Of several holders, how long the first of them. The store's clock may run ahead of this one. */
function ageText(lock: LockView): string {
  const since = heldSince(lock)
  return since === undefined ? '-' : timeText(Math.max(0, Date.now() - since))
}

function leaseText(lock: LockView, colours: Colours): string {
  if (lock.owners.length === 0) return '-'
  return (endsSoon(lock) ? colours.red : colours.plain)(timeText(lock.remainingMs))
}

function waitersText(lock: LockView, colours: Colours): string {
  const waiting = waitingCount(lock)
  if (waiting === undefined) return '?'
  return waiting === 0 ? '-' : colours.yellow(String(waiting))
}

function holdsText({ owners, count, available }: LockView): string {
  if (count !== undefined) return `${count} to go`
  const holds = owners.reduce((sum, each) => sum + each.holds, 0)
  return available === undefined ? `${holds}` : `${holds} (${available} left)`
}
