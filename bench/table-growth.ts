/** Takes and gives back locks of few names very often: `node table-growth.mjs <order as JSON>`. The harness looks at the table meanwhile. */
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { Holdfast } from '../dist/index.js'
import type { TableGrowthAnswer, TableGrowthOrder } from './drivers/programs.js'
import { storeAt } from './libraries/stores/holdfast.js'

/** Two clients that ask for the same names at random, so that rows are waited for as well. */
const CLIENTS = 2
const TASKS = 8

async function grow(order: TableGrowthOrder): Promise<TableGrowthAnswer> {
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, async () => new Holdfast(await storeAt(order))),
  )
  let left = order.sections
  const work = async (holdfast: Holdfast): Promise<void> => {
    while (left > 0) {
      left -= 1
      const name = `bench:growth:${Math.floor(Math.random() * order.names)}`
      await (await holdfast.lock(name).acquire()).release()
    }
  }
  const from = performance.now()
  await Promise.all(clients.flatMap((holdfast) => Array.from({ length: TASKS }, () => work(holdfast))))
  const sectionsPerSecond = (order.sections * 1_000) / (performance.now() - from)
  await Promise.all(clients.map((holdfast) => holdfast.close()))
  return { sectionsPerSecond }
}

console.log(JSON.stringify(await grow(JSON.parse(process.argv[2] ?? '{}'))))
process.exit(0)
