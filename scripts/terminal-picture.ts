/** From what a terminal was sent, and when, to a picture that moves: one frame beside the other, and an animation that goes from one to the next. */
import xterm, { type IBufferCell, type Terminal } from '@xterm/headless'

/** What a program wrote to a terminal, as asciinema keeps it (asciicast v2): a head, then `[seconds, "o", text]` on each line. */
export interface Recording {
  readonly width: number
  readonly height: number
  readonly events: ReadonlyArray<readonly [seconds: number, text: string]>
}

const FRAME_S = 0.2
/** A pause in which nothing is seen need not be waited for. */
const LONGEST_PAUSE_S = 1
/** For those who read the table. */
const LAST_FRAME_S = 6
const COLUMN = 8
const LINE = 17
const MARGIN = 14
/** The sixteen colours of a terminal, of which programs such as this use a few. */
const COLOURS: Readonly<Record<number, string>> = { 1: '#ff7b72', 2: '#7ee787', 6: '#79c0ff' }

/** What is seen from some moment on: each line as SVG. */
interface Frame {
  readonly at: number
  readonly lines: readonly string[]
}

export function parseRecording(text: string): Recording {
  const [head = '', ...lines] = text.trimEnd().split('\n')
  const { width, height }: Record<string, unknown> = JSON.parse(head)
  if (typeof width !== 'number' || typeof height !== 'number')
    throw new TypeError('no size in the first line')
  const events = lines.map((line): [number, string] => {
    const [seconds, , data]: unknown[] = JSON.parse(line)
    if (typeof seconds !== 'number' || typeof data !== 'string') throw new TypeError(`no event: ${line}`)
    return [seconds, data]
  })
  return { width, height, events }
}

export async function drawTerminal(recording: Recording, title: string): Promise<string> {
  const frames = await framesOf(recording)
  const width = recording.width * COLUMN
  const height = Math.max(...frames.map(({ lines }) => lines.length)) * LINE
  const seconds = (frames.at(-1)?.at ?? 0) + LAST_FRAME_S
  const kinds = [...new Set(frames.flatMap(({ lines }) => lines))].filter((line) => line !== '')
  const steps = frames.map(
    ({ at }, index) => `${((100 * at) / seconds).toFixed(2)}%{transform:translateX(${-index * width}px)}`,
  )
  const film = frames.map(({ lines }, index) => {
    const uses = lines.flatMap((line, row) =>
      line === '' ? [] : `<use href="#l${kinds.indexOf(line)}" x="${index * width}" y="${row * LINE}"/>`,
    )
    return `<g>${uses.join('')}</g>`
  })
  const colours = Object.entries(COLOURS).map(([number, colour]) => `.c${number}{fill:${colour}}`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width + 2 * MARGIN} ${height + 2 * MARGIN}" width="${width + 2 * MARGIN}">
<title>${escaped(title)}</title>
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#e6edf3}
.b{font-weight:bold}
.d{opacity:.6}
${colours.join('\n')}
.film{animation:film ${seconds.toFixed(1)}s steps(1,end) infinite}
@keyframes film{${steps.join('')}}
@media (prefers-reduced-motion:reduce){.film{animation:none;transform:translateX(${-(frames.length - 1) * width}px)}}
</style>
<defs>
${kinds.map((line, index) => `<text id="l${index}">${line}</text>`).join('\n')}
</defs>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<svg x="${MARGIN}" y="${MARGIN}" width="${width}" height="${height}"><g class="film">
${film.join('\n')}
</g></svg>
</svg>
`
}

async function framesOf({ width, height, events }: Recording): Promise<Frame[]> {
  const terminal = new xterm.Terminal({ cols: width, rows: height, allowProposedApi: true })
  const frames: Frame[] = []
  let [now, last] = [0, events[0]?.[0] ?? 0]
  for (const [index, [seconds, text]] of events.entries()) {
    await new Promise<void>((resolve) => terminal.write(text, resolve))
    now += Math.min(seconds - last, LONGEST_PAUSE_S)
    last = seconds
    const due = now - (frames.at(-1)?.at ?? -FRAME_S) >= FRAME_S
    if (due || index === events.length - 1) frames.push({ at: now, lines: linesOf(terminal) })
  }
  return frames
}

function linesOf(terminal: Terminal): string[] {
  const { active } = terminal.buffer
  const lines = Array.from({ length: terminal.rows }, (_, row) => {
    const line = active.getLine(active.viewportY + row)
    const cells = Array.from({ length: line?.length ?? 0 }, (_, column) => line?.getCell(column))
    return runsOf(cells.filter((cell) => cell !== undefined))
  })
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1)
}

/** What stands side by side in one style is one piece of text, as wide as its columns whatever font is there. */
function runsOf(cells: readonly IBufferCell[]): string {
  const runs: Array<{ style: string; column: number; text: string }> = []
  cells.forEach((cell, column) => {
    const style = styleOf(cell)
    const run = runs.at(-1)
    if (run?.style === style) run.text += cell.getChars() || ' '
    else runs.push({ style, column, text: cell.getChars() || ' ' })
  })
  return runs
    .flatMap(({ style, column, text }) =>
      // Viewers differ in what they make of several spaces.
      [...text.matchAll(/\S+(?: \S+)*/g)].map(({ index, 0: words }) => ({
        style,
        column: column + index,
        words,
      })),
    )
    .map(({ style, column, words }) => {
      const place = `x="${column * COLUMN}" y="13" textLength="${words.length * COLUMN}"`
      return `<tspan ${place}${style === '' ? '' : ` class="${style}"`}>${escaped(words)}</tspan>`
    })
    .join('')
}

function styleOf(cell: IBufferCell): string {
  const colour = cell.isFgPalette() ? `c${cell.getFgColor() % 8}` : ''
  return [colour, cell.isBold() ? 'b' : '', cell.isDim() ? 'd' : ''].filter((name) => name !== '').join(' ')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
