/** What a checker has to say. */
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
  /** The kind of lock, where there is one. */
  readonly kind: string
  readonly what: string
}

/** How an overlap came about that is none of the lock's doing. */
export type Explanation = 'pause' | 'data lost'
