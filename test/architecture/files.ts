import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** One file of the checkout. */
export interface SourceFile {
  /** From the root of the checkout, with forward slashes. */
  readonly path: string
  readonly text: string
}

/** The files below some folders whose names end as asked. Folders that are not there have none. */
export async function filesIn(folders: readonly string[], ending: string): Promise<SourceFile[]> {
  const files: SourceFile[] = []
  for (const folder of folders) {
    const names = await readdir(join(root, folder), { recursive: true }).catch(() => [])
    for (const name of names.sort()) {
      const full = join(root, folder, name)
      if (!name.endsWith(ending) || name.includes('node_modules')) continue
      const path = relative(root, full).split(sep).join('/')
      files.push({ path, text: await readFile(full, 'utf8') })
    }
  }
  return files
}
