/** Something that Holdfast must reach. */
export interface Gate {
  readonly what: string
  readonly needed: string
  readonly reached: string
  /** `undefined`: not measured in this run. */
  readonly ok: boolean | undefined
}

export function atLeast(what: string, needed: number, reached: number | undefined): Gate {
  return {
    what,
    needed: `≥ ${needed}`,
    reached: shown(reached),
    ok: ifThere(reached, (value) => value >= needed - 1e-9),
  }
}

export function atMost(what: string, needed: number, reached: number | undefined): Gate {
  return {
    what,
    needed: `≤ ${needed}`,
    reached: shown(reached),
    ok: ifThere(reached, (value) => value <= needed + 1e-9),
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
