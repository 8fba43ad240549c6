/*
 * Has Alloy carry out the commands of the model: `npm run spec`. Arguments pick those that have one of them in their name:
 * `npm run spec -- without`. Each command says what it expects: 0, no counterexample; 1, one, or an example. Fails when one ends
 * otherwise. Where there is no Java it says so and checks nothing. See docs/model.md.
 */
import { readdir, readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { Alloy } from './alloy.js'

interface Command {
  readonly file: string
  readonly name: string
}

const folder = fileURLToPath(new URL('.', import.meta.url))
const picks = process.argv.slice(2)
const alloy = await Alloy.bring()
if (typeof alloy === 'string') {
  console.log(`the model is not checked: ${alloy}`)
} else {
  const chosen = (await commands()).filter(
    ({ name }) => picks.length === 0 || picks.some((pick) => name.includes(pick)),
  )
  if (chosen.length === 0) throw new Error(`no command has ${picks.join(' or ')} in its name`)
  const failed = await carryOutAll(alloy, chosen)
  console.log(`${chosen.length - failed} of ${chosen.length} commands ended as expected`)
  process.exitCode = failed === 0 ? 0 : 1
}

/** Those of all files of the model. A command without an expectation could not fail. */
async function commands(): Promise<Command[]> {
  const found: Command[] = []
  for (const name of (await readdir(folder)).sort()) {
    if (!name.endsWith('.als')) continue
    const file = folder + name
    for (const line of (await readFile(file, 'utf8')).split('\n')) {
      const command = /^(?:check|run) (\w+)/.exec(line)?.[1]
      if (command === undefined) continue
      if (!/ expect [01]$/.test(line)) throw new Error(`${name}: ${command} does not say what it expects`)
      found.push({ file, name: command })
    }
  }
  return found
}

/** As many at a time as there are processors. How many failed. */
async function carryOutAll(checker: Alloy, chosen: readonly Command[]): Promise<number> {
  const left = [...chosen]
  let failed = 0
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const from = performance.now()
      const fault = await checker.carryOut(next.file, next.name)
      if (fault !== undefined) failed += 1
      const seconds = Math.round((performance.now() - from) / 1000)
      console.log(
        `${fault === undefined ? 'ok    ' : 'FAILED'} ${next.name} (${seconds} s)${fault ? `: ${fault}` : ''}`,
      )
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return failed
}
