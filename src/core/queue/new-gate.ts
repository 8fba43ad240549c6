import type { LockPort } from '../../ports/lock-port.js'
import type { Schedule } from '../../time/schedule.js'
import { Gate } from './gate.js'
import { LineGate } from './line-gate.js'
import { SharedGate } from './shared-gate.js'

/** Where the calls for a lock of that kind meet. */
export function newGate(name: string, port: LockPort, schedule: Schedule): Gate {
  if (port.line?.placePerCall) return new LineGate(name, port, schedule.clock)
  return port.shared ? new SharedGate(name, port, schedule.clock) : new Gate(name, port, schedule.clock)
}
