import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { InvalidArgumentError } from '../errors/errors.js'
import { requireHere } from './installed.js'

/** The oldest release that works of each package that the application brings. */
const OLDEST = {
  '@nestjs/common': [9, 0],
  '@opentelemetry/api': [1, 9],
  mariadb: [3, 0],
  mysql2: [3, 0],
  pg: [8, 11],
  postgres: [3, 4],
  'prom-client': [13, 0],
} as const

type Peer = keyof typeof OLDEST

/** What is needed of a package, for an error: `pg 8.11 or later (8.10.0 is installed)`. */
export function needed(peer: Peer): string {
  const found = versionFound(peer)
  return `${peer} ${OLDEST[peer].join('.')} or later${found === undefined ? '' : ` (${found} is installed)`}`
}

/**
 * For what Holdfast itself imports. Where nobody knows which release that is, as in a bundle, it is not refused.
 *
 * @throws InvalidArgumentError if it is too old.
 */
export function checkPeer(peer: Peer): void {
  const found = versionFound(peer)
  const [major, minor] = OLDEST[peer]
  const [first = NaN, second = NaN] = (found ?? '').split('.').map(Number)
  if (first < major || (first === major && second < minor))
    throw new InvalidArgumentError(peer, found, `${major}.${minor} or later`, {
      found: `${found} is installed, which is too old`,
    })
}

/** Not by `require`: a package may not hand out its manifest. */
function versionFound(peer: Peer): string | undefined {
  for (const folder of requireHere().resolve.paths(peer) ?? []) {
    try {
      const { version }: { version?: unknown } = JSON.parse(
        readFileSync(join(folder, peer, 'package.json'), 'utf8'),
      )
      return typeof version === 'string' ? version : undefined
    } catch {
      // In another folder.
    }
  }
  return undefined
}
