import { Lag } from '../../src/conformance/lag.js'

const lag = new Lag()
// It measures from now on.
lag.stretch(1)

/** A lease, or a command's deadline, that no holder of a test may miss: as much longer as this process is late. On a quiet machine it is `ms`. */
export function lasting(ms: number): number {
  return Math.ceil(ms * lag.stretch(ms))
}
