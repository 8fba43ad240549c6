import { InvalidArgumentError } from '../errors/errors.js'

/** What options of other libraries are here, of which the first counts that the call knows. Short, because every bundle has it. */
const FORMER_OPTIONS: ReadonlyArray<readonly [were: string, are: readonly string[]]> = [
  ['ttl lease leaseTime lockTimeout duration', ['ttlMs', 'leaseMs']],
  [
    'retryCount retryDelay retryJitter retryAttempts retryInterval retries timeout wait waitTime acquireTimeout',
    ['waitMs'],
  ],
  ['refreshInterval automaticExtensionThreshold lockWatchdogTimeout', ['watchdogMs']],
  ['identifier acquiredExternally', ['owner']],
  ['lockAtMostFor', ['atMostMs']],
  ['lockAtLeastFor', ['atLeastMs']],
]

const GONE: ReadonlyMap<string, string> = new Map([
  ['driftFactor', 'leave driftFactor out'],
  ['onLockLost', "in place of onLockLost write holdfast.on('lost', …)"],
  ['prefix', 'give the Redis client a keyPrefix'],
])

/** What to write in place of an option that a call does not know; empty where nobody knows what it is. */
export function optionHint(option: string, known: readonly string[]): string {
  const gone = GONE.get(option)
  if (gone !== undefined) return `; ${gone}`
  const [, names] = FORMER_OPTIONS.find(([were]) => were.split(' ').includes(option)) ?? []
  const here = names?.find((each) => known.includes(each))
  const usual = names?.at(-1)
  if (usual === undefined) return ''
  const call = usual === 'watchdogMs' ? 'new Holdfast(client, ' : 'lock.acquire('
  return `; in place of ${option} write ${here === undefined ? `${call}{ ${usual}: … })` : `{ ${here}: … }`}`
}

/** Has calls of methods that other libraries have say what to write here. They are in no type, and no such method is listed. */
export function refuseFormerMethods(prototype: object, methods: Readonly<Record<string, string>>): void {
  for (const [method, instead] of Object.entries(methods)) {
    const value = (): never => {
      throw new InvalidArgumentError('method', method, instead)
    }
    Object.defineProperty(prototype, method, { value, configurable: true, writable: true })
  }
}
