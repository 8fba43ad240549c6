export interface Finding {
  readonly check: Violated | 'stuck' | 'late' | 'idle' | 'starved' | 'leftover' | 'wrong'
  readonly kind: string
  readonly what: string
  /** Why that is known, and no failure until it is mended. */
  readonly expected?: string
}

type Violated = 'exclusion' | 'unnoticed' | 'fence' | 'order' | 'permits'

/** How an overlap came about that is none of the lock's doing. */
export type Explanation = 'pause' | 'data lost'

export function finding(check: Finding['check'], { kind }: { readonly kind: string }, what: string): Finding {
  return { check, kind, what }
}

export function leftover(what: string): Finding {
  return { check: 'leftover', kind: '', what }
}
