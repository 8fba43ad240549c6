import { describe, expect, test } from 'vitest'
import { placeNames } from '../setup/places.js'
import { findGaps, type Ran } from './gaps.js'
import type { TestResult } from './report.js'

function result(file: string, name: string, status: TestResult['status'] = 'passed'): TestResult {
  return { file, name, status, message: '' }
}

function inAllPlaces(...cases: string[]): TestResult[] {
  return placeNames.flatMap((place) =>
    cases.map((name) => result(`test/contract/${place}.test.ts`, `contract: ${place} > ${name}`)),
  )
}

function ran(title: string, tests: TestResult[], suites = ['test/contract']): Ran {
  return { title, suites, tests }
}

describe('gaps of the matrix', () => {
  test('a case that one combination did not run', () => {
    const gaps = findGaps([ran('a', inAllPlaces('x', 'y')), ran('b', inAllPlaces('x'))])
    expect(gaps).toContain("b: in cluster the contract's case was not run: y")
    expect(gaps.filter((gap) => gap.startsWith('a'))).toEqual([])
  })

  test('a case that was skipped in one place, unless that is in memory', () => {
    const skippedIn = (place: string): TestResult[] =>
      inAllPlaces('x').map((each) =>
        each.file.includes(`/${place}.`) ? { ...each, status: 'skipped' } : each,
      )
    expect(findGaps([ran('a', skippedIn('sentinel'))])).toEqual([
      "a: in sentinel the contract's case was not run: x",
    ])
    expect(findGaps([ran('a', skippedIn('memory-virtual-time'))])).toEqual([])
  })

  test('a test of another suite may be skipped, but not be unknown', () => {
    const suites = ['test/fault']
    const one = result('test/fault/a.test.ts', 'one')
    const two = result('test/fault/a.test.ts', 'two')
    const skipping = ran('b', [one, { ...two, status: 'skipped' }], suites)
    expect(findGaps([ran('a', [one, two], suites), skipping])).toEqual([])
    expect(findGaps([ran('a', [one, two], suites), ran('b', [one], suites)])).toEqual([
      'b: unknown there: test/fault/a.test.ts > two',
    ])
  })
})
