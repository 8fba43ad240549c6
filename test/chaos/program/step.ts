export type Way = 'withLock' | 'acquire' | 'tryAcquire' | 'lock' | 'tryLock'

export type Target =
  | { readonly kind: 'lock' | 'fenced' | 'spin' | 'fair' | 'read' | 'write'; readonly name: string }
  | { readonly kind: 'multi'; readonly names: readonly string[] }
  | { readonly kind: 'striped'; readonly name: string; readonly key: string | undefined }
  | { readonly kind: 'semaphore' | 'permits'; readonly name: string; readonly permits: number }
  | { readonly kind: 'compute-once'; readonly name: string }

export interface SectionStep {
  readonly do: 'section'
  readonly target: Target
  readonly way: Way
  /** Undefined: as long as it takes. */
  readonly waitMs: number | undefined
  readonly leaseMs: number | undefined
  readonly abortAfterMs: number | undefined
  /** Whether it is taken for an owner of its own. */
  readonly explicitOwner: boolean
  /** Whether its hold is handed to other work, outside of all sections, which runs the body as the hold's owner and releases. */
  readonly handedOn: boolean
  /** Whether its permits end by a lease that is made shorter when the work is over, not by a release. */
  readonly lapses: boolean
  /** Where there are transactions: it begins with one that its hold is tied to, and that lasts so long. */
  readonly booksMs: number | undefined
  readonly body: readonly Step[]
}

/** Changes the number of permits, and makes up for that a little later. */
export interface ResizeStep {
  readonly do: 'resize'
  readonly kind: 'semaphore' | 'permits'
  readonly name: string
  readonly first: 'add' | 'reduce' | 'drain'
  readonly by: number
  readonly ms: number
}

/** Closes a latch for so long, or waits until it is open. */
export interface LatchStep {
  readonly do: 'latch'
  readonly name: string
  readonly closes: boolean
  readonly waitMs: number
  readonly ms: number
}

export type Step =
  | SectionStep
  | ResizeStep
  | LatchStep
  | { readonly do: 'work'; readonly ms: number }
  | { readonly do: 'siblings'; readonly branches: ReadonlyArray<readonly Step[]> }
  | { readonly do: 'run'; readonly body: readonly Step[] }
  /** Work that nobody awaits: it may outlive the section it is started in. */
  | { readonly do: 'detached'; readonly afterMs: number; readonly body: readonly Step[] }
