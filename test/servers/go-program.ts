import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cacheFolder } from './debian.js'
import { thisOnce } from './progress.js'

const run = promisify(execFile)

/**
 * A program in Go, built from its sources where that has not been done before. Two that build at once do not disturb each other.
 *
 * @param name of its folder in the cache
 */
export async function goProgram(project: URL, name: string): Promise<string> {
  const sources = await Promise.all(
    ['main.go', 'go.mod', 'go.sum'].map((file) => readFile(new URL(file, project))),
  )
  const hash = createHash('sha256').update(Buffer.concat(sources)).digest('hex').slice(0, 16)
  const folder = join(cacheFolder(), name)
  const binary = join(folder, hash)
  const there = await access(binary).then(
    () => true,
    () => false,
  )
  if (there) return binary
  await mkdir(folder, { recursive: true })
  const work = await mkdtemp(join(folder, '.building-'))
  try {
    const args = ['build', '-trimpath', '-ldflags', '-s -w', '-o', join(work, 'program'), '.']
    await thisOnce(`building ${name} in Go`, work, () =>
      run('go', args, { cwd: fileURLToPath(project), maxBuffer: 2 ** 26 }),
    )
    await rename(join(work, 'program'), binary)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return binary
}
