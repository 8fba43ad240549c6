export interface Finding {
  readonly check:
    | 'exclusion'
    | 'unnoticed'
    | 'stuck'
    | 'late'
    | 'idle'
    | 'starved'
    | 'fence'
    | 'order'
    | 'permits'
    | 'leftover'
    | 'wrong'
  readonly kind: string
  readonly what: string
  /** Why that is known, and no failure until it is mended. */
  readonly expected?: string
}

/** How an overlap came about that is none of the lock's doing. */
export type Explanation = 'pause' | 'data lost'
