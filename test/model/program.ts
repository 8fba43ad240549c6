import fc from 'fast-check'

/** How a call asks for the lock. */
export interface Terms {
  readonly lock: number
  /** Undefined: as long as it takes. */
  readonly waitMs: number | undefined
  /** Undefined: the watchdog renews. */
  readonly leaseMs: number | undefined
  /** Aborted after so many steps of the scheduler. */
  readonly abortAfter: number | undefined
  /** One of the client's explicit owners; undefined: the surrounding scope's. */
  readonly owner: number | undefined
}

/** One thing a task does, and what it does within. */
export type Step =
  | ({ readonly do: 'section'; readonly parallel: boolean; readonly body: readonly Step[] } & Terms)
  | ({
      readonly do: 'hold'
      /** When it is released: at the end of its body, twice at once, without being awaited, or when the task ends. */
      readonly release: 'end' | 'twice' | 'unawaited' | 'late'
      readonly once: boolean
      readonly body: readonly Step[]
    } & Terms)
  | { readonly do: 'scope'; readonly locks: number; readonly body: readonly Step[] }
  | { readonly do: 'detached'; readonly body: readonly Step[] }
  | { readonly do: 'force'; readonly lock: number }
  | { readonly do: 'idle'; readonly ms: number }
  | { readonly do: 'assert' }

export interface Plan {
  /** For each client: its tasks, and how its clock runs. */
  readonly clients: ReadonlyArray<{
    readonly tasks: ReadonlyArray<readonly Step[]>
    readonly watchesInOrder: boolean
    readonly rate: number
    /** Closed after so many steps of the scheduler. */
    readonly closeAfter: number | undefined
    /** Its event loop stands still, after so many steps, for so long. */
    readonly pauses: ReadonlyArray<{ readonly after: number; readonly ms: number }>
  }>
  /** How far time goes on whenever the scheduler lets it, over and over. */
  readonly timeSteps: readonly number[]
}

/** What may occur in a plan. */
export interface Scope {
  readonly leases: readonly (number | undefined)[]
  readonly idleMs: number
  readonly timeSteps: readonly number[]
  readonly force?: boolean
  readonly pauses?: readonly number[]
  readonly close?: boolean
  readonly rates?: readonly number[]
}

/** A step that occurs more often than others. */
function often<Fields>(fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> }) {
  return { weight: 4, arbitrary: fc.record<Fields>(fields) }
}

export function plans({
  leases,
  idleMs,
  timeSteps,
  force,
  pauses,
  close,
  rates = [1],
}: Scope): fc.Arbitrary<Plan> {
  const terms = {
    lock: fc.constantFrom(0, 0, 0, 1),
    waitMs: fc.constantFrom(undefined, undefined, undefined, 0, 30, 200),
    leaseMs: fc.constantFrom(...leases),
    abortAfter: fc.option(fc.nat(30), { nil: undefined, freq: 1 }),
    owner: fc.constantFrom(undefined, undefined, undefined, 0, 1),
  }
  const { steps } = fc.letrec<{ steps: Step[]; step: Step }>((tie) => ({
    steps: fc.array(tie('step'), { maxLength: 3, depthIdentifier: 'steps' }),
    step: fc.oneof(
      { depthIdentifier: 'steps', maxDepth: 4, withCrossShrink: true },
      fc.record({ do: fc.constant('idle'), ms: fc.nat(idleMs) }),
      often({ do: fc.constant('section'), parallel: fc.boolean(), body: tie('steps'), ...terms }),
      often({
        do: fc.constant('hold'),
        release: fc.constantFrom('end', 'end', 'twice', 'unawaited', 'late'),
        once: fc.boolean(),
        body: tie('steps'),
        ...terms,
      }),
      fc.record({ do: fc.constant('scope'), locks: fc.nat(3), body: tie('steps') }),
      fc.record({ do: fc.constant('detached'), body: tie('steps') }),
      fc.record({ do: fc.constant('assert') }),
      ...(force ? [fc.record({ do: fc.constant('force'), lock: fc.constantFrom(0, 0, 1) })] : []),
    ),
  }))
  return fc.record({
    clients: fc.array(
      fc.record({
        tasks: fc.array(steps, { minLength: 1, maxLength: 3 }),
        watchesInOrder: fc.boolean(),
        rate: fc.constantFrom(...rates),
        closeAfter: close ? fc.option(fc.nat(60), { nil: undefined, freq: 3 }) : fc.constant(undefined),
        pauses: pauses
          ? fc.array(fc.record({ after: fc.nat(40), ms: fc.constantFrom(...pauses) }), { maxLength: 2 })
          : fc.constant([]),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    timeSteps: fc.array(fc.constantFrom(...timeSteps), { minLength: 1, maxLength: 12 }),
  })
}
