import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { npm } from './packed.js'

export const runtimes = ['node', 'bun', 'deno'] as const
export type Runtime = (typeof runtimes)[number]

/** How a script is begun with it. */
export async function provideRuntime(runtime: Runtime): Promise<readonly string[]> {
  if (runtime === 'node') return [process.execPath]
  const folder = await fromNpm(join('runtimes', runtime), async (draft) => {
    // Their programs are put in place by a script of the package.
    await npm(draft, ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', draft, runtime])
    if (runtime === 'deno')
      await promisify(execFile)(process.execPath, [join(draft, 'node_modules/deno/install.cjs')])
  })
  const program = join(folder, 'node_modules', '.bin', runtime)
  return runtime === 'deno' ? [program, 'run', '--allow-all'] : [program]
}

/** A folder of the user's cache that has been filled with packages, once. */
export async function fromNpm(name: string, fill: (draft: string) => Promise<unknown>): Promise<string> {
  const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast', name)
  if (existsSync(folder)) return folder
  const draft = `${folder}.${process.pid}`
  await mkdir(draft, { recursive: true })
  try {
    await fill(draft)
    await rename(draft, folder)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return folder
}
