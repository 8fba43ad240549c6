import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

/** The version of an installed package, read from its own package.json whether or not it exports that. */
export function versionOf(name: string): string {
  return versionAbove(require.resolve(name), () => true)
}

/** The version of the project that this file is part of. */
export function versionOfProject(name: string): string {
  return versionAbove(fileURLToPath(import.meta.url), (found) => found === name)
}

function versionAbove(file: string, accept: (name: unknown) => boolean): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const { name, version } = packageIn(folder)
    if (typeof version === 'string' && accept(name)) return version
  }
  throw new Error(`no package.json above ${file} tells its version; is \`npm ci --prefix bench\` done?`)
}

/** Folders of a package may have a package.json of their own, which names no version; most have none. */
function packageIn(folder: string): { readonly name?: unknown; readonly version?: unknown } {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  } catch {
    return {}
  }
}
