import { LEFT_OUT } from '../../src/conformance/given.js'
import { type PlaceName, placeNames } from '../setup/places.js'
import type { TestResult } from './report.js'

/** A combination's results, by what it is called. */
export interface Ran {
  readonly title: string
  readonly suites: readonly string[]
  readonly tests: readonly TestResult[]
}

const CONTRACT = 'test/contract/'
const IN_MEMORY: readonly PlaceName[] = ['memory', 'memory-virtual-time']

/**
 * What was not tested although it should have been, in sentences; none when nothing is missing.
 *
 * A case of the contract that ran anywhere must have run in each combination that runs the contract and in each place with a server; in memory it may
 * be skipped, since some cases need what only a server, or only real time, has. A test of another suite that is known to one
 * combination must be known to all that run the suite; whether it applies there it decides itself, by being skipped.
 */
export function findGaps(all: readonly Ran[]): string[] {
  return [...all.flatMap(emptySuites), ...unequalPlaces(all), ...unequalSuites(all)]
}

function emptySuites({ title, suites, tests }: Ran): string[] {
  return suites
    .filter((suite) => !tests.some(({ file, status }) => within(file, suite) && status !== 'skipped'))
    .map((suite) => `${title}: nothing of ${suite} was run`)
}

function unequalPlaces(ran: readonly Ran[]): string[] {
  const all = ran.filter(({ suites }) => suites.some((suite) => `${suite}/` === CONTRACT))
  const every = new Set(
    all.flatMap(({ tests }) => [...contractCases(tests).values()].flatMap((cases) => [...cases])),
  )
  return all.flatMap(({ title, tests }) => {
    const ran = contractCases(tests)
    return placeNames.flatMap((place) => {
      const missing = [...every].filter((name) => !ran.get(place)?.has(name))
      return missing.map((name) => `${title}: in ${place} the contract's case was not run: ${name}`)
    })
  })
}

/** The cases of the contract that ran, or had leave not to, by place. */
function contractCases(tests: readonly TestResult[]): Map<PlaceName, Set<string>> {
  const ran = new Map(placeNames.map((place) => [place, new Set<string>()]))
  for (const { file, name, status } of tests) {
    const [, place, whole] = /^contract: (\S+) > (.*)$/s.exec(name) ?? []
    const [what, leftOut] = whole?.split(LEFT_OUT) ?? []
    const known = placeNames.find((each) => each === place)
    if (!file.startsWith(CONTRACT) || known === undefined || what === undefined) continue
    if (status !== 'skipped' || leftOut !== undefined || IN_MEMORY.includes(known)) ran.get(known)?.add(what)
  }
  return ran
}

function unequalSuites(all: readonly Ran[]): string[] {
  return [...new Set(all.flatMap((ran) => ran.suites))].flatMap((suite) => {
    const running = all.filter((ran) => ran.suites.includes(suite))
    const known = running.map(({ tests }) => namesIn(suite, tests))
    const every = new Set(known.flatMap((names) => [...names]))
    return running.flatMap(({ title }, index) =>
      [...every].filter((name) => !known[index]?.has(name)).map((name) => `${title}: unknown there: ${name}`),
    )
  })
}

function namesIn(suite: string, tests: readonly TestResult[]): Set<string> {
  return new Set(tests.filter(({ file }) => within(file, suite)).map(({ file, name }) => `${file} > ${name}`))
}

function within(file: string, suite: string): boolean {
  return file === suite || file.startsWith(`${suite}/`)
}
