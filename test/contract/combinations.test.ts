/** A place without the whole suite, or cases that no place runs, must fail the run instead of going unnoticed. */
import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { placeNames } from '../setup/places.js'

const here = new URL('.', import.meta.url)
const files = await readdir(here)
const read = (file: string): Promise<string> => readFile(new URL(file, here), 'utf8')

/** The rules that show through the public API on a sound store. Faults (C2, C3, X1) are shown in tests of their own. */
const rules = 'O1 O2 O3 O4 O5 L1 L2 L3 L4 L5 L6 W1 W2 W3 W4 W5 C1 X2'.split(' ')

describe('combinations', () => {
  for (const name of placeNames) {
    test(`the place ${name} has a test file that runs the whole suite`, async () => {
      expect(files).toContain(`${name}.test.ts`)
      expect(await read(`${name}.test.ts`)).toBe(
        [
          "import { placeOf } from '../setup/places.js'",
          "import { contract } from './contract.js'",
          '',
          `contract(placeOf('${name}'))`,
          '',
        ].join('\n'),
      )
    })
  }

  test('every file of cases is in the suite, once', async () => {
    const suite = await read('contract.ts')
    const topics = files
      .filter((file) => file.endsWith('.cases.ts'))
      .map((file) => file.replace('.cases.ts', '').replace(/-(\w)/g, (_, letter) => letter.toUpperCase()))
    expect(topics.length).toBeGreaterThan(10)
    for (const topic of topics) expect(suite.split(`${topic}Cases(place)`), topic).toHaveLength(2)
    expect(suite.match(/Cases\(place\)/g)).toHaveLength(topics.length)
  })

  test('no case is left out by a forgotten skip, only or todo', async () => {
    for (const file of files) {
      if (file === 'combinations.test.ts') continue
      expect(await read(file), file).not.toMatch(/\.(skip|only|todo|fails)\b/)
    }
  })

  for (const rule of rules) {
    test(`rule ${rule} is shown by a case of that name`, async () => {
      const cases = await Promise.all(files.filter((file) => file.endsWith('.cases.ts')).map(read))
      expect(cases.join('\n')).toMatch(new RegExp(`['\`]${rule}: `))
    })
  }
})
