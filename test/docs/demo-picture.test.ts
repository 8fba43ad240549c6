/** The picture in README.md shows a run of the demo, as it was recorded. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { drawTerminal, parseRecording } from '../../scripts/terminal-picture.js'

const recorded = await readFile(new URL('../../docs/demo.cast', import.meta.url), 'utf8')
const picture = await readFile(new URL('../../docs/demo.svg', import.meta.url), 'utf8')

test('docs/demo.svg is what the recording shows', async () =>
  expect(await drawTerminal(parseRecording(recorded), 'npm start')).toBe(picture))

test('the run was one in which nothing was violated', () => {
  const shown = picture.replace(/<[^>]*>/g, '')
  expect(shown).toContain('killed (SIGKILL) inside 3 nested sections')
  expect(shown).toMatch(/lost updates│?.*0 of [1-9]/)
  expect(shown).toContain('nothing was violated')
  expect(shown).not.toContain('VIOLATED')
})

test('the film begins with the workers, below one line of set-up, and shows updates being lost without the lock and none with it', async () => {
  const { events } = parseRecording(recorded)
  const [seconds, text = ''] = events[0] ?? []
  expect(seconds).toBeLessThan(0.1)
  expect(text.split('\n').filter((line) => line.trim() !== '')[0]).toContain('server: ')
  expect(text).toContain('worker 1')
  const all = events.map(([, each]) => each).join('')
  const [without, ...within] = all.match(/\d+ of \d+ updates are lost/g) ?? []
  expect([without, within]).toEqual([expect.stringMatching(/^[1-9]/), [expect.stringMatching(/^0 of [1-9]/)]])
})

test('a frame shows what the terminal shows: what was overwritten is gone, and nothing of it is markup', async () => {
  const events: Array<[number, string]> = [
    [0, 'one <b>\r\n'],
    [1, '\u001b[1A\u001b[2K\u001b[31mtwo\u001b[39m'],
  ]
  const drawn = await drawTerminal({ width: 20, height: 2, events }, 'two lines')
  const frames = drawn.match(/<g><use.*<\/g>/g)
  expect(frames).toEqual([expect.stringContaining('#l0'), expect.stringContaining('#l1')])
  expect(drawn).toMatch(/<text id="l0"><tspan [^>]*>one &lt;b><\/tspan><\/text>/)
  expect(drawn).toMatch(/<text id="l1"><tspan [^>]* class="c1">two<\/tspan><\/text>/)
  expect(drawn).toMatch(/0\.00%\{transform:translateX\(0px\)\}14\.29%/)
})
