import type { Holdfast } from '../index.js'

const TOO_LARGE = 2 ** 53

/** What no option takes, whichever it is; `undefined` is as good as absent and is not among them. */
const NEVER: readonly unknown[] = [null, 'soon', '100', true, {}, [], Symbol('x'), 10n, () => 1]
const NO_NUMBERS: readonly unknown[] = [Number.NaN, -1, 1.5, -0.5, Number.NEGATIVE_INFINITY, TOO_LARGE]

/** Each option of an acquisition, with values it must refuse. */
export function badAcquireOptions(
  holdfast: Holdfast,
  other: Holdfast,
): Readonly<Record<string, readonly unknown[]>> {
  return {
    waitMs: [...NEVER, ...NO_NUMBERS],
    leaseMs: [...NEVER, ...NO_NUMBERS, 0, 1, 9, Number.POSITIVE_INFINITY],
    maxHoldMs: [...NEVER, ...NO_NUMBERS, 0],
    signal: [...NEVER, 1, new AbortController(), { aborted: false }],
    onLost: [...NEVER, 'ignore', 'REJECT', '', 1],
    owner: badOwners(holdfast, other),
  }
}

/** Owners that are none, and owners that this client has not handed out. */
export function badOwners(here: Holdfast, other: Holdfast): readonly unknown[] {
  const [clientId] = here.owner().split(':')
  return [
    ...NEVER,
    ...MALFORMED_OWNERS,
    other.owner(),
    `${clientId}:0`,
    `${clientId}:999999`,
    `${clientId}:01`,
  ]
}

/** Values that do not have the shape of an owner at all. */
export const MALFORMED_OWNERS: readonly unknown[] = [1, '', ...': :1 id: id:x id:1:x id:-1 id:1.5'.split(' ')]

/** What is no object of options. */
export const NO_OPTIONS: readonly unknown[] = [null, 1, 'waitMs', true, [], [{ waitMs: 1 }], Symbol('x')]

/** Settings of a client, with values they must refuse. */
export const BAD_SETTINGS: Readonly<Record<string, readonly unknown[]>> = {
  watchdogMs: [...NEVER, ...NO_NUMBERS, 0, 1, 49, Number.POSITIVE_INFINITY],
  commandTimeoutMs: [...NEVER, ...NO_NUMBERS, 0, Number.POSITIVE_INFINITY],
  storeTimeoutMs: [...NEVER, ...NO_NUMBERS, Number.POSITIVE_INFINITY],
  maxHoldMs: [...NEVER, ...NO_NUMBERS, 0],
  maxWaiters: [...NEVER, ...NO_NUMBERS, 0],
  warnAfterMs: [...NEVER, ...NO_NUMBERS, 0],
  diagnostics: [null, 'true', 1, 0, {}],
}

/** What is no name of a lock. */
export const BAD_NAMES: readonly unknown[] = [
  '',
  'x'.repeat(512 * 1024 + 1),
  '\ud800',
  'half a pair: \udc00!',
  '\udc00\ud800',
  undefined,
  null,
  1,
  true,
  {},
  ['name'],
  Symbol('name'),
]

/** What is no function. */
export const NO_FUNCTIONS: readonly unknown[] = [undefined, null, 1, 'body', {}, Promise.resolve()]
