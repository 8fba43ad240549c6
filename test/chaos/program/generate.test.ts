import slotOf from 'cluster-key-slot'
import { describe, expect, test } from 'vitest'
import { generate } from './generate.js'
import { kinds } from './kinds.js'
import { Random } from './random.js'
import { type Resource, resourcesOf } from './resource.js'
import type { SectionStep, Step } from './step.js'

const seeds = Array.from({ length: 300 }, (_, index) => index)

function programOf(seed: number): { program: Step[]; resources: Resource[] } {
  const random = new Random(seed)
  const resources = resourcesOf(kinds, random)
  return {
    program: generate(random, { kinds, resources, longestWorkMs: 1_000, longWork: false, resizes: 'any' }),
    resources,
  }
}

/** Each section with those around it, the outermost first. */
function sections(
  steps: readonly Step[],
  around: readonly SectionStep[] = [],
): Array<{ step: SectionStep; around: readonly SectionStep[] }> {
  return steps.flatMap((step) => {
    switch (step.do) {
      case 'siblings':
        return step.branches.flatMap((branch) => sections(branch, around))
      case 'run':
      case 'detached':
        return sections(step.body, around)
      case 'section':
        return [{ step, around }, ...sections(step.body, [...around, step])]
      default:
        return []
    }
  })
}

function namesOf({ target }: SectionStep): readonly string[] {
  return target.kind === 'multi' ? target.names : [target.name]
}

test('a seed gives the same program again', () => {
  expect(programOf(5)).toEqual(programOf(5))
  expect(programOf(5)).not.toEqual(programOf(6))
})

describe('programs cannot deadlock by themselves', () => {
  const all = seeds.flatMap((seed) => {
    const { program, resources } = programOf(seed)
    const rankOf = new Map(resources.map(({ name, rank }) => [name, rank]))
    return sections(program).map((each) => ({ ...each, rankOf }))
  })

  test('names are taken in one order; only the innermost section is taken once more', () => {
    for (const { step, around, rankOf } of all) {
      const last = around.at(-1)
      if (!last) continue
      const ranks = (of: SectionStep): number[] => namesOf(of).map((name) => rankOf.get(name) ?? Number.NaN)
      const again = namesOf(step).join() === namesOf(last).join()
      if (!again) expect(Math.min(...ranks(step))).toBeGreaterThan(Math.max(...ranks(last)))
    }
  })

  test('nobody who reads asks to write', () => {
    for (const { step, around } of all)
      if (step.target.kind === 'write')
        expect(around.some(({ target }) => target.kind === 'read' && target.name === namesOf(step)[0])).toBe(
          false,
        )
  })

  test('what is taken once more is taken for the same owner, and is no permit', () => {
    for (const { step, around } of all) {
      const again = around.some((outer) => namesOf(outer).some((name) => namesOf(step).includes(name)))
      if (!again) continue
      expect(step.explicitOwner).toBe(false)
      expect(['semaphore', 'permits', 'compute-once']).not.toContain(step.target.kind)
    }
  })

  test('every kind and every way is among them', () => {
    const targets = new Set(all.map(({ step }) => step.target.kind))
    const taken = kinds.filter((kind) => kind !== 'latch')
    for (const kind of taken) expect(targets).toContain(kind === 'read-write' ? 'write' : kind)
    const programs = JSON.stringify(seeds.map((seed) => programOf(seed).program))
    for (const step of ['run', 'siblings', 'detached', 'latch', 'resize', 'work'])
      expect(programs).toContain(`{"do":"${step}"`)
    expect(new Set(all.map(({ step }) => step.way))).toEqual(
      new Set(['withLock', 'acquire', 'tryAcquire', 'lock', 'tryLock']),
    )
  })
})

test('ranks follow slots and names, in which a multi-lock takes its members', () => {
  for (const seed of seeds.slice(0, 20)) {
    const names = resourcesOf(kinds, new Random(seed)).map(({ name }) => name)
    expect([...names].sort()).toEqual(names)
    expect([...names].sort((one, other) => slotOf(one) - slotOf(other))).toEqual(names)
  }
})
