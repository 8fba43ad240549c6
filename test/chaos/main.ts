/** `npm run chaos`: random programs under random faults, and a checker that reads the history. See docs/robustness.md. */
import { writeFile } from 'node:fs/promises'
import process from 'node:process'
import { bundle } from './bundle.js'
import { carryOut, type EpisodePlan, LONGEST_LEASE_MS, planOf } from './campaign.js'
import { type Mutant, mutants } from './mutants/catalogue.js'
import { hunt } from './mutants/hunt.js'
import type { Nemesis } from './nemeses/nemesis.js'
import { type ChaosOptions, parseOptions } from './options.js'
import { type Outcome, rowsOf, tableOf } from './summary.js'
import { Pool } from './topologies/pool.js'
import type { TopologyName } from './topologies/topology.js'

const SHOWN = 10

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
process.exitCode = await chaos(parseOptions(process.argv.slice(2)))

async function chaos(options: ChaosOptions): Promise<number> {
  // Workers inherit it.
  process.env['HOLDFAST_CLIENT'] = options.client
  const { kinds, nemeses, topologies, seconds, episode, seed, json, keep } = options
  const pool = new Pool(LONGEST_LEASE_MS)
  const built = await bundle()
  const outcomes: Outcome[] = []
  let escaped = 0
  try {
    const hunted = mutants.filter((each) => isWanted(each, options.mutants))
    for (const [index, mutant] of hunted.entries()) {
      const { by, control } = await hunt(mutant, seed, pool, built)
      const caught = by && !control
      if (!caught) escaped += 1
      const verdict = by ? `caught by ${by.check}: ${by.what}` : 'GOT AWAY'
      process.stdout.write(
        `[${index + 1}/${hunted.length}] mutant ${mutant.name} (${mutant.fault}): ${verdict}\n`,
      )
      if (control) process.stdout.write(`  but without the fault, too: ${control.check} ${control.what}\n`)
    }
    const until = performance.now() + seconds * 1_000
    for (let number = 0; performance.now() < until; number += 1) {
      const nemesis = nemeses[number % nemeses.length]
      const plan =
        nemesis &&
        planOf(seed + number, nemesis, leastUsed(outcomes, nemesis, topologies), kinds, episode * 1_000)
      if (!plan) continue
      const outcome = await carryOut({ ...plan, lingerMs: options.linger }, pool, built)
      outcomes.push(outcome)
      say(outcome, plan, Math.min(seconds, seconds - (until - performance.now()) / 1_000), seconds)
    }
  } finally {
    await pool.stop()
    if (keep) process.stdout.write(`histories: ${built.folder}\n`)
    else await built.remove()
  }
  if (outcomes.length > 0) process.stdout.write(`${tableOf(outcomes)}\n`)
  if (json !== undefined)
    await writeFile(json, `${JSON.stringify({ rows: rowsOf(outcomes), outcomes }, undefined, 1)}\n`)
  const failed = outcomes.some(({ verdict }) =>
    verdict.findings.some(({ expected }) => expected === undefined),
  )
  return escaped > 0 || failed ? 1 : 0
}

/** Of those at which a nemesis has a place, the one that had the fewest episodes: each has its share of a short run. */
function leastUsed(
  outcomes: readonly Outcome[],
  { topologies: possible }: Nemesis,
  wanted: readonly TopologyName[],
): TopologyName[] {
  const used = (name: TopologyName): number => outcomes.filter(({ topology }) => topology === name).length
  const [first] = wanted
    .filter((name) => possible.includes(name))
    .sort((one, other) => used(one) - used(other))
  return first === undefined ? [] : [first]
}

function say(
  { seed, nemesis, topology, verdict }: Outcome,
  { kinds, loadMs }: EpisodePlan,
  doneS: number,
  ofS: number,
): void {
  const { findings, sections, faults } = verdict
  const entered = Object.values(sections).reduce((sum, count) => sum + count, 0)
  const judged = findings.length === 0 ? 'good' : `${findings.length} findings`
  const lines = [
    `[${doneS.toFixed(0)} of ${ofS} s] ${seed} ${nemesis} on ${topology}: ${entered} sections, ${faults} faults, ${judged}`,
  ]
  for (const { check, kind, what, expected } of findings.slice(0, SHOWN))
    lines.push(`  ${check} ${kind}: ${what}${expected === undefined ? '' : ` (expected: ${expected})`}`)
  if (findings.length > SHOWN) lines.push(`  and ${findings.length - SHOWN} more`)
  if (findings.length > 0)
    lines.push(
      `  npm run chaos -- --seed ${seed} --nemeses ${nemesis} --topologies ${topology} --kinds ${kinds.join(',')} --episode ${loadMs / 1_000} --seconds 1`,
    )
  process.stdout.write(`${lines.join('\n')}\n`)
}

function isWanted({ name, quick }: Mutant, wanted: ChaosOptions['mutants']): boolean {
  if (wanted === undefined || typeof wanted === 'boolean') return wanted === true
  return wanted.includes(name) || (quick === true && wanted.includes('quick'))
}
