import Table from 'cli-table3'
import { StoreError } from '../errors.js'
import type { Lock } from '../lock.js'
import type { LockState } from '../store.js'
import type { Colours, Json } from './output.js'
import { printable, shortened } from './printable.js'
import { timeText } from './seconds.js'

/** Names and owners beyond this are cut in tables; JSON has them whole. */
const WIDEST_NAME = 60

/** A lock with all that can be learned of it. */
export interface LockView extends LockState {
  /** Undefined where the server does not let us count. */
  readonly waitingClients: number | undefined
}

/** Looks at a lock. */
export async function view(lock: Lock): Promise<LockView> {
  const [state, waitingClients] = await Promise.all([lock.inspect(), countWaiting(lock)])
  return { ...state, waitingClients }
}

export function isLocked({ owners, remainingMs }: LockState): boolean {
  return owners.length > 0 || remainingMs > 0
}

/** The fields of every JSON answer about a lock. `remainingMs` is null where the lease has no end. */
export function stateJson(state: LockState): { readonly [key: string]: Json } {
  return {
    name: state.name,
    locked: isLocked(state),
    owners: state.owners.map(({ owner, holds }) => ({ owner, holds })),
    remainingMs: Number.isFinite(state.remainingMs) ? Math.round(state.remainingMs) : null,
  }
}

export function viewJson(lock: LockView): { readonly [key: string]: Json } {
  return { ...stateJson(lock), waitingClients: lock.waitingClients ?? null }
}

/** Who holds it, in a few words. */
export function holderText({ owners }: LockState): string {
  if (owners.length === 0) return 'nobody known'
  return owners
    .map(({ owner, holds }) => `${printable(owner)}${holds > 1 ? ` (${holds} holds)` : ''}`)
    .join(', ')
}

export function leaseText({ remainingMs }: LockState): string {
  return Number.isFinite(remainingMs) ? `${timeText(remainingMs)} left` : 'has no end'
}

export function waitingText({ waitingClients }: LockView): string {
  if (waitingClients === undefined) return 'not known (the server does not let this user count)'
  return `${waitingClients} ${waitingClients === 1 ? 'client' : 'clients'}`
}

/** One lock, line by line. */
export function card(lock: LockView, colours: Colours): string {
  const locked = isLocked(lock)
  const rows = [
    ['Lock', colours.bold(printable(lock.name))],
    ['State', locked ? colours.yellow('held') : colours.green('free')],
    ...(locked ? [['Owner', holderText(lock)]] : []),
    ...(locked ? [['Lease', leaseText(lock)]] : []),
    ['Waiting', waitingText(lock)],
  ]
  return plainTable(rows.map(([label, value]) => [colours.dim(label ?? ''), value ?? '']))
}

/** Many locks, one a line. */
export function table(locks: readonly LockState[], colours: Colours): string {
  const head = ['NAME', 'OWNER', 'HOLDS', 'LEASE LEFT'].map((text) => colours.dim(text))
  const rows = locks.map((lock) => [
    shortened(printable(lock.name), WIDEST_NAME),
    lock.owners.map(({ owner }) => shortened(printable(owner), WIDEST_NAME)).join(', '),
    String(lock.owners.reduce((sum, { holds }) => sum + holds, 0)),
    timeText(lock.remainingMs),
  ])
  return plainTable([head, ...rows])
}

function plainTable(rows: readonly string[][]): string {
  const nothing = ''
  const table = new Table({
    chars: {
      top: nothing,
      'top-mid': nothing,
      'top-left': nothing,
      'top-right': nothing,
      bottom: nothing,
      'bottom-mid': nothing,
      'bottom-left': nothing,
      'bottom-right': nothing,
      left: nothing,
      'left-mid': nothing,
      mid: nothing,
      'mid-mid': nothing,
      right: nothing,
      'right-mid': nothing,
      middle: '  ',
    },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  })
  table.push(...rows)
  const lines = table.toString().split('\n')
  return lines.map((line) => line.trimEnd()).join('\n')
}

async function countWaiting(lock: Lock): Promise<number | undefined> {
  try {
    return await lock.countWaitingClients()
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'permission') return undefined
    throw error
  }
}
