import { InvalidArgumentError } from '../errors/errors.js'

/** What options of other libraries are here, of which the first counts that the call knows. */
const FORMER_OPTIONS: ReadonlyArray<readonly [were: string, are: readonly string[]]> = [
  ['ttl lease leaseTime lockTimeout duration leaseMs', ['ttlMs', 'atMostMs', 'leaseMs']],
  [
    'retryCount retryDelay retryJitter retryAttempts retryInterval retries timeout wait waitTime acquireTimeout acquireAttemptsLimit',
    ['waitMs'],
  ],
  ['refreshInterval automaticExtensionThreshold lockWatchdogTimeout', ['watchdogMs']],
  ['identifier acquiredExternally', ['owner']],
  ['keyPrefix', ['prefix']],
  ['lockAtMostFor', ['atMostMs']],
  ['lockAtLeastFor', ['atLeastMs']],
]

/** Options of locks, of calls and of clients, which people give to another of the three. */
const OF_LOCKS = ['reentrant', 'lingerMs']
const OF_CALLS = 'waitMs leaseMs signal owner onLost'
const OF_CLIENTS =
  'watchdogMs label commandTimeoutMs storeTimeoutMs maxWaiters warnAfterMs maxHandOvers handOverSliceMs quarantineMs checkReplicas ' +
  'replicasTimeoutMs fenceRetentionMs watchdogThread maxBlockedMs onDeadlock diagnostics'

const GONE: ReadonlyMap<string, string> = new Map([
  ['driftFactor', 'leave driftFactor out'],
  ['onLockLost', "in place of onLockLost write holdfast.on('lost', …)"],
  ['prefix', 'give the Redis client a keyPrefix'],
  ['keyPrefix', 'give the Redis client a keyPrefix'],
  ['drainMs', 'in place of drainMs write holdfast.close({ drainMs: … })'],
])

/** What to write in place of an option that a call does not know; empty where nobody knows what it is. */
export function optionHint(option: string, known: readonly string[]): string {
  const [, names = [option]] = FORMER_OPTIONS.find(([were]) => were.split(' ').includes(option)) ?? []
  const here = names.find((each) => known.includes(each)) ?? nearest(option, known)
  const gone = GONE.get(option)
  if (here === undefined && gone !== undefined) return `; ${gone}`
  const line = here === undefined ? lineElsewhere(names.at(-1) ?? option, known) : `{ ${here}: … }`
  return line === undefined ? '' : `; in place of ${option} write ${line}`
}

function lineElsewhere(option: string, known: readonly string[]): string | undefined {
  // Only options of locks lead to those calls: `job()`, for one, acquires by itself.
  const isOfLock = known.some((each) => ['lingerMs', 'firstPauseMs'].includes(each))
  if (isOfLock && OF_LOCKS.includes(option)) return `holdfast.lock(name, { ${option}: … })`
  if (isOfLock && OF_CALLS.split(' ').includes(option)) return `lock.acquire({ ${option}: … })`
  if (OF_CLIENTS.split(' ').includes(option)) return `new Holdfast(client, { ${option}: … })`
  return undefined
}

/** The option that was meant: the same but for case and marks between words, or but for one letter or two. */
function nearest(option: string, known: readonly string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replace(/[-_]/g, '')
  const near = known.map((each) => ({ each, slips: slipsBetween(plain(option), plain(each)) }))
  const [best] = near.sort((a, b) => a.slips - b.slips)
  return best !== undefined && best.slips <= 2 && best.slips * 3 <= option.length ? best.each : undefined
}

/** How many letters have to be put in, taken out or changed to make one of the other. */
function slipsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [line, letter] of [...a].entries()) {
    const above = row
    row = [line + 1]
    for (let at = 0; at < b.length; at += 1) {
      const changed = (above[at] ?? 0) + (letter === b[at] ? 0 : 1)
      row.push(Math.min(changed, (above[at + 1] ?? 0) + 1, (row[at] ?? 0) + 1))
    }
  }
  return row[b.length] ?? 0
}

/** Has calls of methods that other libraries have say what to write here. They are in no type, and no such method is listed. */
export function refuseFormerMethods(prototype: object, methods: Readonly<Record<string, string>>): void {
  for (const [method, instead] of Object.entries(methods)) {
    const value = (): never => {
      throw new InvalidArgumentError('method', method, instead, { found: `${method}() does not exist` })
    }
    Object.defineProperty(prototype, method, { value, configurable: true, writable: true })
  }
}
