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
