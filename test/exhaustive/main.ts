/**
 * The exhaustive tier: `npm run test:all`. Arguments pick parts by name (`-- matrix spec`); `-- changed` picks those that a change since
 * the last commit touches, `-- changed REVISION` since another. It goes on after a failure, and ends with a table.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { Progress } from '../servers/progress.js'
import { type Part, parts } from './parts.js'

interface Row {
  readonly part: Part
  readonly passed: boolean
  readonly minutes: number
  /** The last line that told of a count. */
  readonly told: string
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const logs = join(root, 'temp', 'exhaustive')

const chosen = choose(process.argv.slice(2))
mkdirSync(logs, { recursive: true })
const rows: Row[] = []
for (const part of chosen) rows.push(await run(part))
print(rows)

function choose(words: readonly string[]): readonly Part[] {
  if (words.length === 0) return parts
  if (words[0] === 'changed') {
    const changed = execFileSync('git', ['diff', '--name-only', words[1] ?? 'HEAD'], { cwd: root })
    const files = String(changed).split('\n').filter(Boolean)
    return parts.filter(({ covers }) => files.some((file) => covers.test(file)))
  }
  const unknown = words.filter((word) => !parts.some(({ name }) => name === word))
  if (unknown.length > 0) {
    console.error(`there is no part ${unknown.join(', ')}; parts are:`)
    for (const { name, shows } of parts) console.error(`  ${name.padEnd(16)} ${shows}`)
    process.exit(64)
  }
  return parts.filter(({ name }) => words.includes(name))
}

async function run(part: Part): Promise<Row> {
  const place = `[${chosen.indexOf(part) + 1}/${chosen.length}]`
  const log = createWriteStream(join(logs, `${part.name}.log`))
  const startedAt = performance.now()
  const minutes = (): number => (performance.now() - startedAt) / 60_000
  console.log(`${place} ${part.name}: ${part.shows}`)
  const [program = '', ...args] = part.command.split(' ')
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let told = ''
  let last = ''
  const progress = new Progress(process.stdout, () => {
    return `${place} ${part.name}, ${minutes().toFixed(1)} min: ${stripVTControlCharacters(last).slice(0, 100)}`
  })
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on('line', (line) => {
      log.write(`${line}\n`)
      if (line.trim()) last = line.trim()
      if (/\d+ (passed|episodes|sections)|Tests .*\d+|mutants? /.test(line)) told = line.trim()
    })
  const [code] = await once(child, 'close')
  progress.stop()
  log.end()
  const row = { part, passed: code === 0, minutes: minutes(), told }
  console.log(`${place} ${describe(row)}`)
  return row
}

function describe({ part, passed, minutes, told }: Row): string {
  const verdict = passed ? 'passed' : `FAILED, see temp/exhaustive/${part.name}.log`
  return `${part.name.padEnd(16)} ${minutes.toFixed(1).padStart(5)} min  ${verdict}  ${told}`
}

function print(all: readonly Row[]): void {
  const failed = all.filter(({ passed }) => !passed).length
  console.log(`\n${all.map(describe).join('\n')}\n${all.length - failed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
}
