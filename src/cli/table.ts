import { labelOf } from '../base/identity/label.js'
import { printable } from '../base/identity/printable.js'
import { isoTime } from '../base/time/iso-time.js'
import type { LockView } from './lock-view.js'
import type { Colours } from './output.js'
import { plainTable } from './plain-table.js'
import { shortened } from './shortened.js'
import { timeText } from './time-text.js'

/** Tables cut names and owners longer than this; JSON has them in full. */
const WIDEST_NAME = 60

/** A table of locks, one per line. */
export function table(locks: readonly LockView[], colours: Colours): string {
  const head = ['NAME', 'KIND', 'OWNER', 'HOLDS', 'SINCE', 'LEASE LEFT'].map((text) => colours.dim(text))
  const rows = locks.map((lock) => [
    shortened(printable(lock.name), WIDEST_NAME),
    kindText(lock),
    ownerText(lock),
    holdsText(lock),
    sinceText(lock),
    lock.owners.length === 0 ? '-' : timeText(lock.remainingMs),
  ])
  return plainTable([head, ...rows])
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

/** Of several holders, since when the first of them. */
function sinceText({ owners }: LockView): string {
  const times = owners.flatMap(({ heldSince }) => heldSince ?? [])
  return times.length === 0 ? '-' : isoTime(Math.min(...times))
}

function holdsText({ owners, count, available }: LockView): string {
  if (count !== undefined) return `${count} to go`
  const holds = owners.reduce((sum, each) => sum + each.holds, 0)
  return available === undefined ? `${holds}` : `${holds} (${available} left)`
}
