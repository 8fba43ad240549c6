import { createHash } from 'node:crypto'
import { cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { npm, root } from './packed.js'

const list = join(root, 'test', 'packaging', 'projects', 'tools.json')

/**
 * A folder with the compilers, test runners, bundlers and frameworks that people use Holdfast with: installed once, into the user's
 * cache, and again when the list of them changes.
 */
export async function provideTools(): Promise<string> {
  const version = createHash('sha1')
    .update(await readFile(list))
    .digest('hex')
    .slice(0, 12)
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const folder = join(cache, 'holdfast', 'consumers', version)
  if (await isThere(folder)) return folder
  process.stderr.write('packaging: fetching test runners, bundlers and compilers, this once\n')
  const draft = `${folder}.${process.pid}`
  await mkdir(draft, { recursive: true })
  try {
    await cp(list, join(draft, 'package.json'))
    await npm(draft, ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'])
    await rename(draft, folder)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return folder
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}
