/** Something that Holdfast must reach. */
export interface Gate {
  readonly what: string
  readonly needed: string
  readonly reached: string
  /** `undefined`: not measured in this run. */
  readonly ok: boolean | undefined
  /** What is to be known beside it. */
  readonly note?: string | undefined
}

/** The gate, and why it is missed if it is. */
export function unless(gate: Gate, why: string | undefined): Gate {
  return gate.ok === false && why !== undefined ? { ...gate, note: why } : gate
}

/** What counts of commands may differ by from run to run. */
const TOLERANCE = 1.05

export function atLeast(what: string, needed: number, reached: number | undefined): Gate {
  return allAtLeast(what, needed, [reached])
}

export function atMost(what: string, needed: number, reached: number | undefined): Gate {
  return allAtMost(what, needed, [reached])
}

export function allAtLeast(
  what: string,
  needed: number | readonly number[],
  reached: readonly (number | undefined)[],
): Gate {
  return gateOf(what, '≥', needed, reached, (value, bound) => value >= bound - 1e-9)
}

/** @param needed one for all, or one for each. */
export function allAtMost(
  what: string,
  needed: number | readonly number[],
  reached: readonly (number | undefined)[],
): Gate {
  return gateOf(what, '≤', needed, reached, (value, bound) => value <= bound + 1e-9)
}

/** None of the costs is more than the first. */
export function doNotGrow(what: string, costs: readonly (number | undefined)[]): Gate {
  const bound = (costs[0] ?? 0) * TOLERANCE
  return { ...allAtMost(what, bound, costs), needed: 'do not grow' }
}

function gateOf(
  what: string,
  sign: string,
  needed: number | readonly number[],
  reached: readonly (number | undefined)[],
  holds: (value: number, bound: number) => boolean,
): Gate {
  const bounds = typeof needed === 'number' ? reached.map(() => needed) : needed
  const known = reached.filter((value) => value !== undefined)
  const complete = known.length === reached.length
  return {
    what,
    needed: `${sign} ${typeof needed === 'number' ? needed : needed.join(', ')}`,
    reached: complete ? known.map(shown).join(', ') : shown(undefined),
    ok: complete ? known.every((value, index) => holds(value, bounds[index] ?? Number.NaN)) : undefined,
  }
}

export function ifThere<Value, Result>(
  value: Value | undefined,
  then: (value: Value) => Result,
): Result | undefined {
  return value === undefined ? undefined : then(value)
}

export function shown(value: number | undefined): string {
  if (value === undefined) return 'not measured'
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2)
}

export function quotient(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one / other
}
