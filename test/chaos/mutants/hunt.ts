import { mutation } from '../../mutants/plugin.js'
import { type Bundle, bundle } from '../bundle.js'
import { carryOut, type EpisodePlan } from '../campaign.js'
import type { Finding } from '../checker/finding.js'
import { nemeses } from '../nemeses/catalogue.js'
import type { Pool } from '../topologies/pool.js'
import type { Mutant } from './catalogue.js'

/** So many episodes have a mutant caught, or it got away. */
const EPISODES = 3
const LOAD_MS = 5_000
/** Who waits for what never comes is not waited for. */
const DRAIN_MS = 12_000

/**
 * The first finding of a check that is to catch it, which is missing where it got away; and what the same episode without the fault
 * found by the same check: nothing, where the catch is one.
 */
export async function hunt(mutant: Mutant, seed: number, pool: Pool, sound: Bundle) {
  const broken = await bundle([mutation(mutant)])
  const caught = async (plan: EpisodePlan, built: Bundle): Promise<Finding | undefined> => {
    const { verdict } = await carryOut(plan, pool, built)
    return verdict.findings.find(({ check }) => mutant.caughtBy.includes(check))
  }
  try {
    for (let number = 0; number < EPISODES; number += 1) {
      const plan = planFor(mutant, seed + number)
      const by = await caught(plan, broken)
      if (by) return { by, control: await caught(plan, sound) }
    }
    return {}
  } finally {
    await broken.remove()
  }
}

function planFor(mutant: Mutant, seed: number): EpisodePlan {
  const nemesis = nemeses.find(({ name }) => name === mutant.nemesis)
  if (!nemesis) throw new Error(`mutant ${mutant.name}: there is no nemesis ${mutant.nemesis}`)
  return {
    seed,
    nemesis: { ...nemesis, options: { ...nemesis.options, ...mutant.options } },
    topology: mutant.topology ?? 'standalone-2',
    kinds: mutant.kinds,
    loadMs: LOAD_MS,
    drainMs: DRAIN_MS,
    longWork: mutant.longWork ?? false,
  }
}
