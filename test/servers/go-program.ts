import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inCache, kept, run } from './kept.js'

/**
 * A program in Go, built from its sources where that has not been done before.
 *
 * @param name of its folder in the cache
 */
export async function goProgram(project: URL, name: string): Promise<string> {
  const sources = await Promise.all(
    ['main.go', 'go.mod', 'go.sum'].map((file) => readFile(new URL(file, project))),
  )
  const hash = createHash('sha256').update(Buffer.concat(sources)).digest('hex').slice(0, 16)
  return await kept(inCache('servers', name, hash), `building ${name} in Go`, async (work) => {
    const program = join(work, 'program')
    const args = ['build', '-trimpath', '-ldflags', '-s -w', '-o', program, '.']
    await run('go', args, { cwd: fileURLToPath(project), maxBuffer: 2 ** 26 })
    return program
  })
}
