/**
 * Mutation testing: StrykerJS's mutants of folders of src (core, and the stores in rows and sessions by default) against the project `virtual`. All of them
 * take days, so it tries a random sample: `--sample 200` of each folder, `--seed 1`. What was tried is kept in temp/mutation.json: the same
 * command goes on where it was ended. The score goes to docs/testing.md; mutants that live are printed.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Random } from '../chaos/program/random.js'
import { inCache, installFromNpm, kept } from '../servers/kept.js'
import type { Fault } from './fault.js'
import { type Outcome, root, run } from './run.js'
import { draw } from './tables.js'

type Position = Readonly<Record<'line' | 'column', number>>

/** As the instrumenter of StrykerJS tells of it; lines and columns begin with 0. */
interface Mutant {
  readonly mutatorName: string
  readonly location: { readonly start: Position; readonly end: Position }
  readonly replacement: string
}

type Tried = Record<string, Outcome>

/** The tests to try first, because they are quick and likely to notice. */
const NEAR: Readonly<Record<string, readonly string[]>> = {
  core: ['test/unit/'],
  'stores/rows': ['test/rows/', 'test/line/', 'test/permits/', 'test/conformance/memory.test'],
  'stores/session': ['test/session/', 'test/conformance/memory-session'],
}
const { values, positionals } = parseArgs({
  options: { sample: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
})
const record = `${root}temp/mutation.json`
const folders = positionals.length > 0 ? positionals : Object.keys(NEAR)
mkdirSync(`${root}temp`, { recursive: true })
const tried: Tried = existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : {}
const samples = new Map<string, Fault[]>()
for (const folder of folders) samples.set(folder, await sampleOf(folder))
// In turns, so that wherever it is ended each folder has a sample.
for (let index = 0; index < Number(values.sample); index += 1)
  for (const [folder, sample] of samples) {
    const fault = sample[index]
    if (fault) await attempt(fault, near(folder))
  }
const lived = Object.values(tried).filter((outcome) => outcome === 'lived')
console.log(`${Object.keys(tried).length} mutants tried, ${lived.length} lived`)

async function attempt(fault: Fault, first: readonly string[]): Promise<void> {
  if (tried[fault.name] !== undefined) return
  const file = `${root}temp/mutant.json`
  writeFileSync(file, JSON.stringify(fault))
  let outcome = await run(file, 'virtual', first)
  if (outcome === 'lived') outcome = await run(file, 'virtual')
  tried[fault.name] = outcome
  writeFileSync(record, JSON.stringify(tried, undefined, 2))
  console.log(`${fault.name}: ${typeof outcome === 'string' ? outcome.toUpperCase() : outcome.killed}`)
  drawScores()
}

function near(folder: string): readonly string[] {
  return Object.entries(NEAR).find(([room]) => `${folder}/`.startsWith(`${room}/`))?.[1] ?? []
}

/** Mutants of a folder in an order that the seed alone decides. */
async function sampleOf(folder: string): Promise<Fault[]> {
  const { Instrumenter } = await instrumenter()
  const silent = new Proxy({}, { get: () => () => false })
  const names = await readdir(`${root}src/${folder}`, { recursive: true })
  const mutants: Fault[] = []
  for (const name of names.filter((each) => each.endsWith('.ts')).sort()) {
    const source = `src/${folder}/${name}`
    const content = readFileSync(root + source, 'utf8')
    const options = { plugins: null, ignorers: [], excludedMutations: [] }
    const files = [{ name: source, content, mutate: true }]
    const found = await new Instrumenter(silent).instrument(files, options)
    mutants.push(...found.mutants.map((mutant: Mutant) => asFault(source, content, mutant)))
  }
  return new Random(Number(values.seed)).shuffled(mutants)
}

/** Its text is the whole file: what it changes may be there twice. */
function asFault(source: string, text: string, { location, mutatorName, replacement }: Mutant): Fault {
  const at = ({ line, column }: Position): number =>
    text.split('\n').slice(0, line).join('\n').length + (line > 0 ? 1 : 0) + column
  const [start, end] = [at(location.start), at(location.end)]
  const shown = (code: string): string => code.replace(/\s+/g, ' ').slice(0, 80)
  const place = `${source}:${location.start.line + 1}:${location.start.column + 1}`
  return {
    name: `${place} ${mutatorName}: ${shown(text.slice(start, end))} → ${shown(replacement)}`,
    fault: mutatorName,
    in: { source },
    text,
    becomes: text.slice(0, start) + replacement + text.slice(end),
  }
}

/** Kept out of package.json: it is large, and this alone needs it. */
async function instrumenter() {
  const packages = await kept(inCache('stryker', 'node_modules'), 'fetching StrykerJS from npm', (work) =>
    installFromNpm(work, '@stryker-mutator/instrumenter@9.6.1'),
  )
  return await import(join(packages, '@stryker-mutator/instrumenter/dist/src/index.js'))
}

function drawScores(): void {
  const lines = Object.keys(NEAR).map((folder) => {
    const outcomes = Object.entries(tried).flatMap(([name, outcome]) =>
      name.startsWith(`src/${folder}/`) ? [outcome] : [],
    )
    const lived = outcomes.filter((outcome) => outcome === 'lived').length
    const hung = outcomes.filter((outcome) => outcome === 'hung').length
    const [low, high] = interval(outcomes.length - lived - hung, outcomes.length - hung)
    return `| \`${folder}\` | ${outcomes.length} | ${lived} | ${percent(outcomes.length - lived - hung, outcomes.length - hung)} | ${low}–${high} |`
  })
  const head = '| folder | mutants tried | lived | killed, % | 95 % interval |'
  draw('mutation', [head, '|---|---|---|---|---|', ...lines])
}

function percent(part: number, all: number): number {
  return all === 0 ? 0 : Math.round((100 * part) / all)
}

/** Wilson's, which holds for small samples, too. */
function interval(part: number, all: number): readonly [number, number] {
  const z = 1.96
  const middle = (part + z ** 2 / 2) / (all + z ** 2)
  const half = (z / (all + z ** 2)) * Math.sqrt((part * (all - part)) / Math.max(all, 1) + z ** 2 / 4)
  return [Math.round(100 * (middle - half)), Math.round(100 * (middle + half))]
}
