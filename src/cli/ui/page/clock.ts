/** The program's clocks, as this page knows them: they go on between what it is told. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

export interface Clock {
  /** The wall clock. */
  readonly now: number
  /** The steady clock, in which leases end. */
  readonly steadyMs: number
}

export const ClockContext = createContext<Clock>({ now: 0, steadyMs: 0 })
export const useClock = (): Clock => useContext(ClockContext)

let wallOffsetMs = 0
let steadyOffsetMs = 0

/** The program has told its clocks. */
export function setClock(now: number, steadyMs: number): void {
  wallOffsetMs = now - Date.now()
  steadyOffsetMs = steadyMs - performance.now()
}

export function readClock(): Clock {
  return { now: Date.now() + wallOffsetMs, steadyMs: performance.now() + steadyOffsetMs }
}
