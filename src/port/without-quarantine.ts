import type { Renewed } from './lock-port.js'

/** Of an end that no lease sets the store gives no quarantine: a holder that is to have one leaves so much sooner. */
export function withoutQuarantine(renewed: Renewed, quarantineMs: number): Renewed {
  return typeof renewed === 'number' ? Math.max(renewed - quarantineMs, 1) : renewed
}
