/** Files are to be read in one sitting, and found by their names. */
import { describe, expect, test } from 'vitest'
import { filesIn } from './files.js'

const MOST_LINES = 400
const USUAL_LINES = 150

const folders = ['src', 'lua', 'test', 'scripts', 'examples', 'bench']
const files = [...(await filesIn(folders, '.ts')), ...(await filesIn(folders, '.lua'))].filter(
  ({ path }) => !path.endsWith('.generated.ts'),
)
const lengths = files.map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))

describe('files', () => {
  test(`none is longer than ${MOST_LINES} lines`, () => {
    expect(lengths.filter(({ lines }) => lines > MOST_LINES)).toEqual([])
  })

  test(`most are shorter than ${USUAL_LINES} lines`, () => {
    const short = lengths.filter(({ lines }) => lines < USUAL_LINES)
    expect(short.length / lengths.length).toBeGreaterThan(0.8)
  })

  test('none is named for being a mixed bag', () => {
    const bag = /(^|[/.-])(utils?|helpers?|misc|common|stuff)([/.-]|$)/
    expect(files.map(({ path }) => path).filter((path) => bag.test(path))).toEqual([])
  })

  test('every script says what its KEYS, its ARGV and its answers are', () => {
    for (const { path, text } of files.filter((file) => file.path.endsWith('.lua'))) {
      const header = /^--\[\[(.*?)\]\]/s.exec(text)?.[1] ?? ''
      for (const word of ['KEYS', 'ARGV', 'Returns']) {
        // A script without arguments need not name them.
        const used = word === 'Returns' || text.slice(header.length).includes(`${word}[`)
        if (used) expect(header.toLowerCase(), `${path}: ${word}`).toContain(word.toLowerCase())
      }
    }
  })
})
