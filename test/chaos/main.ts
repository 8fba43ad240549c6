/** `npm run chaos`: random programs under random faults, and a checker that reads the history. See docs/robustness.md. */
import process from 'node:process'
import { bundle } from './bundle.js'
import { check } from './checker/check.js'
import { runEpisode } from './episode.js'
import { calm, kill } from './nemeses/workers.js'
import { kinds } from './program/kinds.js'
import { bringStandalone } from './topologies/standalone.js'

const b = await bundle()
const topology = await bringStandalone(2)
try {
  for (const nemesis of [calm, kill]) {
    const options = { watchdogMs: 3_000, commandTimeoutMs: 1_000, storeTimeoutMs: 4_000 }
    const e = await runEpisode(
      { seed: 1, nemesis, kinds, loadMs: 6_000, options, drainMs: 20_000 },
      topology,
      b,
    )
    const v = check(e, options)
    console.log(
      nemesis.name,
      v,
      Object.values(v.sections).reduce((x, y) => x + y, 0),
    )
    for (const { worker, events } of e.history.workers)
      console.log(
        worker,
        events.length,
        events.filter((x) => x.e === 'lag').length,
        events.at(-1),
        events.filter((x) => x.e === 'idle'),
      )
  }
} finally {
  await topology.stop()
  if (!process.env['KEEP']) await b.remove()
  else console.log(b.folder)
}
