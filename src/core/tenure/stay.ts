import type { TimerHandle } from '../../base/time/schedule.js'

/** That a process may keep a lock beyond its release: see lingering.ts. Belongs to a tenure, and to those it is handed on to. */
export class Stay {
  /** Whether nobody is inside. */
  vacant = false
  /** Since when, on the lease clock, the process has had the lock by a release that sent nothing. */
  since: number | undefined
  /** How often somebody has entered meanwhile. */
  entered = 0
  /** The alarm that stands on its end. */
  alarm: TimerHandle | undefined

  constructor(
    /** Until when the store has its process told of those that ask for the lock. */
    readonly until: number,
    /** Whether others ask for the lock, or may. */
    public asked: boolean,
  ) {}
}
