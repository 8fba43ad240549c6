/** `holdfast ui` as a process, and where its page is. */
import { jsonLines } from '../json.js'
import type { Program, Running } from '../program.js'

export interface Serving {
  readonly url: string
  readonly running: Running
}

export async function serve(
  program: Program,
  url: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Serving> {
  const running = program.start(['ui', '--port', '0', '--json', ...args], { url, env })
  await Promise.race([running.shows('\n'), running.outcome])
  const [line] = jsonLines(running.stdout)
  if (line === undefined) throw new Error(`the page is not served: ${running.stderr}`)
  return { url: String(line['url']), running }
}
