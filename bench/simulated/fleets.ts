import type { FleetOrder } from './order.js'

/** What a fleet is that takes a second. */
export const smallFleet: FleetOrder = {
  processes: 40,
  callers: 5,
  thinksMs: 0,
  lingerMs: 'auto',
  watchdogMs: 30_000,
  durationMs: 20_000,
  kills: 1,
  seed: 1,
}

const services = { ...smallFleet, callers: 10, thinksMs: 10, durationMs: 60_000, kills: 3 }
/** Long enough for a habit: eight returns. */
const loops = { ...smallFleet, processes: 100, callers: 1, durationMs: 150_000, kills: 0 }

/** Those on the page. */
export const simulatedFleets: readonly FleetOrder[] = [
  { ...services, processes: 10 },
  { ...services, processes: 30 },
  { ...services, processes: 100 },
  { ...services, processes: 300, durationMs: 120_000 },
  { ...services, processes: 1_000, durationMs: 330_000 },
  { ...services, processes: 100, lingerMs: 0 },
  loops,
  { ...loops, lingerMs: 0 },
]
