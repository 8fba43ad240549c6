/** A place without the whole suite, or cases that no place runs, must fail the run instead of going unnoticed. */
import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { placeNames } from '../setup/places.js'

const here = new URL('.', import.meta.url)
const suiteFolder = new URL('../../src/conformance/', import.meta.url)
const caseFiles = (await readdir(new URL('cases/', suiteFolder))).map((file) => `cases/${file}`)
const read = (file: string): Promise<string> => readFile(new URL(file, here), 'utf8')
const readSuite = (file: string): Promise<string> => readFile(new URL(file, suiteFolder), 'utf8')

describe('combinations', () => {
  test.each(placeNames)('the place %s has a test file that runs the whole suite', async (name) => {
    const lines = (await read(`${name}.test.ts`)).trimEnd().split('\n')
    expect(lines.at(-1)).toBe(`contract(placeOf('${name}'))`)
  })

  test('every file of cases is in the suite', async () => {
    const suite = `${await readSuite('lock-cases.ts')}${await readSuite('conformance.ts')}`
    const topics = caseFiles.map((file) =>
      file
        .replace(/^cases\/|\.cases\.ts$/g, '')
        .replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    )
    expect(topics.length).toBeGreaterThan(10)
    // Once where it is imported, and where it is used.
    for (const topic of topics) expect(suite.split(`${topic}Cases`).length, topic).toBeGreaterThan(2)
  })

  test('no case is left out by a forgotten skip, only or todo', async () => {
    for (const text of [...(await Promise.all(caseFiles.map(readSuite))), await read('servers.cases.ts')])
      expect(text).not.toMatch(/\.(skip|only|todo|fails)\b/)
  })
})
