/** Simulates one fleet and prints what came of it, as JSON: `npx tsx bench/simulated/main.ts '{"processes":100}'`. */
import process from 'node:process'
import { Fleet } from './fleet.js'
import type { FleetOrder } from './order.js'

const usual: FleetOrder = {
  processes: 40,
  callers: 5,
  thinksMs: 10,
  lingerMs: 'auto',
  watchdogMs: 30_000,
  durationMs: 60_000,
  kills: 0,
  seed: 1,
}
const order: FleetOrder = { ...usual, ...JSON.parse(process.argv[2] ?? '{}') }
console.log(JSON.stringify(await new Fleet(order).run()))
process.exit(0)
