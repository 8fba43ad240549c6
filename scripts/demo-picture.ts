/** Draws docs/demo.svg from docs/demo.cast; with --record it first makes that recording anew, from a run of the demo. Needs `script` for that. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import process from 'node:process'
import { drawTerminal, parseRecording } from './terminal-picture.js'

const cast = new URL('../docs/demo.cast', import.meta.url)
const size = { width: 84, height: 42 }

if (process.argv.includes('--record')) await writeFile(cast, await record())
await writeFile(
  new URL('../docs/demo.svg', import.meta.url),
  await drawTerminal(parseRecording(await readFile(cast, 'utf8')), 'npm start'),
)

/** Runs the demo on a terminal, and writes down what comes and when. */
async function record(): Promise<string> {
  const demo = `stty cols ${size.width} rows ${size.height}; exec node --import tsx examples/demo/main.ts`
  const terminal = spawn('script', ['-qec', demo, '/dev/null'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = [JSON.stringify({ version: 2, ...size })]
  // The film begins with the first worker: nobody wants to watch a server start.
  let before = ''
  let startedAt = Number.NaN
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (lines.length === 1 && !text.includes('worker')) {
      before += text
      return
    }
    if (lines.length === 1) startedAt = performance.now()
    const shown = `${before}${text}`.replaceAll(homedir(), '~')
    before = ''
    lines.push(JSON.stringify([Number(((performance.now() - startedAt) / 1_000).toFixed(3)), 'o', shown]))
  })
  const [code] = await once(terminal, 'close')
  if (code !== 0) throw new Error(`the demo ended with ${code}`)
  return `${lines.join('\n')}\n`
}
