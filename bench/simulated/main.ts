/** Simulates one fleet and prints what came of it, as JSON: `npx tsx bench/simulated/main.ts '{"processes":100}'`. */
import process from 'node:process'
import { Fleet } from './fleet.js'
import { smallFleet } from './fleets.js'
import type { FleetOrder } from './order.js'

const order: FleetOrder = { ...smallFleet, ...JSON.parse(process.argv[2] ?? '{}') }
console.log(JSON.stringify(await new Fleet(order).run()))
process.exit(0)
