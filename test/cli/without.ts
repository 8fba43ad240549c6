import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The environment of a process in which a package is not installed, nor has Node a SQLite of its own. */
export async function without(name: string, folder: string): Promise<Record<string, string>> {
  const file = join(folder, 'hide.cjs')
  await writeFile(
    file,
    `const loader = require('node:module')
     const { _resolveFilename } = loader
     loader._resolveFilename = (name, ...others) => {
       if (name === '${name}') throw Object.assign(new Error('hidden'), { code: 'MODULE_NOT_FOUND' })
       return _resolveFilename(name, ...others)
     }
     const { getBuiltinModule } = process
     process.getBuiltinModule = (name) => name === 'node:sqlite' ? undefined : getBuiltinModule(name)`,
  )
  return { NODE_OPTIONS: `--require ${file}` }
}
