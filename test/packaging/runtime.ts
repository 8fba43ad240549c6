import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { npm } from './packed.js'

const run = promisify(execFile)

/** What programs run on. */
export const runtimes = ['node', 'bun', 'deno'] as const
export type Runtime = (typeof runtimes)[number]

/** How a script is begun with it. Bun and Deno come from npm, once, into the user's cache folder. */
export async function provideRuntime(runtime: Runtime): Promise<readonly string[]> {
  if (runtime === 'node') return [process.execPath]
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const folder = join(cache, 'holdfast', 'runtimes', runtime)
  const program = join(folder, 'node_modules', '.bin', runtime)
  const starts = await run(program, ['--version']).then(
    () => true,
    () => false,
  )
  if (!starts) {
    await mkdir(folder, { recursive: true })
    // Their programs are put in place by a script of the package.
    await npm(folder, ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', runtime])
    if (runtime === 'deno') await run(process.execPath, [join(folder, 'node_modules', 'deno', 'install.cjs')])
  }
  return runtime === 'deno' ? [program, 'run', '--allow-all'] : [program]
}
