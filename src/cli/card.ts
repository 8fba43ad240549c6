import { ownerText } from '../base/identity/label.js'
import { printable } from '../base/identity/printable.js'
import {
  forSoLong,
  holderText,
  holderTexts,
  isLocked,
  type LockView,
  leaseText,
  stateText,
  waitingCount,
  waitingText,
} from './lock-view.js'
import type { Colours } from './output.js'
import { plainTable } from './plain-table.js'

/** Places of a line beyond this are counted, not listed. */
const NAMED_IN_LINE = 10

/** The locks of one name, one below the other. */
export function cards(locks: readonly LockView[], colours: Colours): string {
  return locks.map((lock) => card(lock, colours)).join('\n\n')
}

function card(lock: LockView, colours: Colours): string {
  const locked = isLocked(lock)
  const rows = [
    ['Lock', colours.bold(printable(lock.name))],
    ...(lock.kind === undefined ? [] : [['Kind', lock.kind]]),
    ['State', (locked ? colours.yellow : colours.green)(stateText(lock))],
    ...(lock.available === undefined ? [] : [['Available', `${lock.available}`]]),
    ...holderRows(lock),
    ...(lock.remainingMs > 0 && lock.count === undefined ? [['Lease', leaseText(lock)]] : []),
    ...(lock.fence === undefined ? [] : [['Fence', lock.fence]]),
    ['Waiting', (waitingCount(lock) ? colours.yellow : plain)(waitingText(lock))],
    ...lineRows(lock),
  ]
  return plainTable(rows.map(([label, value]) => [colours.dim(label ?? ''), value ?? '']))
}

const plain = (text: string): string => text

function holderRows(lock: LockView): string[][] {
  if (lock.owners.length === 0)
    return lock.remainingMs > 0 && lock.count === undefined ? [['Owner', holderText(lock)]] : []
  return holderTexts(lock, forSoLong).map((text, index) => [index === 0 ? 'Owner' : '', text])
}

function lineRows({ line = [] }: LockView): string[][] {
  const rows = line.slice(0, NAMED_IN_LINE).map(({ owner, mode, waitsSince }, index) => {
    const waits = waitsSince === undefined ? [] : [forSoLong(waitsSince)]
    const remarks = [...(mode ? [mode] : []), ...waits].join(', ')
    const place = `${index + 1}. ${ownerText(owner)}${remarks === '' ? '' : ` (${remarks})`}`
    return [index === 0 ? 'In line' : '', place]
  })
  const more = line.length - rows.length
  return more > 0 ? [...rows, ['', `and ${more} more`]] : rows
}
