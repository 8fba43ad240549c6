import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

/**
 * A comment with the licences of the packages that went into a bundle, as those ask for: packages with the same terms have them in common.
 * @param paths the modules in the bundle, below the checkout.
 */
export function licences(paths: readonly string[]): string {
  const packages = new Set(paths.map(packageOf).filter((path) => path !== undefined))
  if (packages.size === 0) return ''
  const byTerms = new Map<string, string[]>()
  for (const path of [...packages].sort()) {
    const { name, version, license } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license'].find((each) =>
      existsSync(join(root, path, each)),
    )
    const text =
      file === undefined ? '' : readFileSync(join(root, path, file), 'utf8').replaceAll('*/', '* /')
    const terms = text.replace(/^(Copyright|.{0,6}MIT License).*\n/gm, '').trim()
    const notices = [`${name} ${version} (${license})`, ...(text.match(/^Copyright.*/gm) ?? [])]
    byTerms.set(terms, [...(byTerms.get(terms) ?? []), notices.join('\n')])
  }
  const all = [...byTerms].map(([terms, of]) => [...of, terms].join('\n\n')).join('\n\n')
  return `/*! @license\nThis file contains:\n\n${all}\n*/\n`
}

function packageOf(path: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]
}
