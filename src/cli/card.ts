import { printable } from '../base/identity/printable.js'
import {
  endsSoon,
  exactly,
  forSoLong,
  heldSince,
  holderText,
  holderTexts,
  isLocked,
  isOpen,
  type LockView,
  leaseText,
  partyText,
  stateText,
  waitingCount,
  waitingText,
} from './lock-view.js'
import type { Colours } from './output.js'
import { plainTable } from './plain-table.js'
import { timeText } from './time-text.js'

/** Places of a line beyond this are counted, not listed. */
const NAMED_IN_LINE = 10

/** The locks of one name, one below the other. */
export function cards(locks: readonly LockView[], colours: Colours): string {
  return locks.map((lock) => card(lock, colours)).join('\n\n')
}

function card(lock: LockView, colours: Colours): string {
  const since = heldSince(lock)
  const state = isLocked(lock) && !isOpen(lock) ? colours.yellow : colours.green
  const lease = endsSoon(lock) ? colours.red : colours.plain
  const rows = [
    ['Lock', colours.bold(printable(lock.name))],
    ...(lock.kind === undefined ? [] : [['Kind', lock.kind]]),
    ['State', state(stateText(lock))],
    ...(since === undefined ? [] : [['Held for', timeText(Math.max(0, Date.now() - since))]]),
    ...(lock.available === undefined ? [] : [['Available', `${lock.available}`]]),
    ...holderRows(lock),
    ...(lock.remainingMs > 0 && lock.count === undefined ? [['Lease', lease(leaseText(lock))]] : []),
    ...(lock.fence === undefined ? [] : [['Fence', lock.fence]]),
    ['Waiting', (waitingCount(lock) ? colours.yellow : colours.plain)(waitingText(lock))],
    ...lineRows(lock),
  ]
  return plainTable(rows.map(([label, value]) => [colours.dim(label ?? ''), value ?? '']))
}

function holderRows(lock: LockView): string[][] {
  if (lock.owners.length === 0)
    return lock.remainingMs > 0 && lock.count === undefined ? [['Owner', holderText(lock)]] : []
  return holderTexts(lock, lock.owners.length > 1 ? forSoLong : exactly).map((text, index) => [
    index === 0 ? 'Owner' : '',
    text,
  ])
}

function lineRows({ line = [] }: LockView): string[][] {
  const rows = line.slice(0, NAMED_IN_LINE).map(({ owner, mode, waitsSince }, index) => {
    const waits = waitsSince === undefined ? [] : [forSoLong(waitsSince)]
    const remarks = [...(mode ? [mode] : []), ...waits]
    const place = `${index + 1}. ${partyText(owner, remarks)}`
    return [index === 0 ? 'In line' : '', place]
  })
  const more = line.length - rows.length
  return more > 0 ? [...rows, ['', `and ${more} more`]] : rows
}
