import { readFileSync } from 'node:fs'
import process from 'node:process'
import type { Plugin } from 'esbuild'
import { faults } from './catalogue.js'
import type { Fault } from './fault.js'
import { placeOf, textWith } from './mutate.js'

/** The broken version that this run tests: `HOLDFAST_MUTANT` names one of the catalogue, or a file of JSON that has one. */
export function faultOfRun(): Fault | undefined {
  const name = process.env['HOLDFAST_MUTANT']
  if (!name) return undefined
  if (name.endsWith('.json')) return JSON.parse(readFileSync(name, 'utf8'))
  const fault = faults.find((each) => each.name === name)
  if (!fault) throw new Error(`HOLDFAST_MUTANT is "${name}", which no mutant is called`)
  return fault
}

/** Has a bundle read the mutant's text in place of the library's. */
export function mutation(fault: Fault): Plugin {
  const path = placeOf(fault)
  return {
    name: fault.name,
    setup({ onLoad, onEnd }) {
      let loaded = false
      onLoad({ filter: new RegExp(`${path.replaceAll('.', '\\.')}$`) }, async ({ path: file }) => {
        loaded = true
        const resolveDir = file.slice(0, file.lastIndexOf('/'))
        return { contents: await textWith(fault), loader: 'ts', resolveDir }
      })
      onEnd(() => {
        if (!loaded) throw new Error(`mutant ${fault.name}: ${path} is no part of the library`)
      })
    },
  }
}

export function mutationOfRun(): {
  name: string
  enforce: 'pre'
  load(id: string): Promise<string | undefined>
} {
  return {
    name: 'mutation',
    enforce: 'pre',
    async load(id) {
      const fault = faultOfRun()
      return fault && id.endsWith(`/${placeOf(fault)}`) ? await textWith(fault) : undefined
    },
  }
}
