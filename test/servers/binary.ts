import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Release, releases } from './flavour.js'
import type { Need, Way } from './launch.js'
import { onPath } from './path.js'
import { processLauncher } from './process.js'

const run = promisify(execFile)

/** Looks for `redis-server` or `valkey-server` on PATH, in the version asked for. */
export async function findBinary({ wanted }: Need): Promise<Way | string> {
  const programs =
    wanted === 'any' ? (['redis-server', 'valkey-server'] as const) : [releases[wanted].program]
  const refused: string[] = []
  for (const program of programs) {
    const path = await onPath(program)
    if (path === undefined) {
      refused.push(`no ${program} on PATH`)
      continue
    }
    const { stdout } = await run(path, ['--version'])
    const found = /^(Redis|Valkey) server v=(\d+\.\d+)/.exec(stdout)
    const fault = misfit(wanted === 'any' ? undefined : releases[wanted], found?.[2] ?? 'of unknown version')
    if (fault === undefined) return { how: 'binary', from: path, launcher: processLauncher([path]) }
    refused.push(`${path} is ${fault}`)
  }
  return refused.join(', ')
}

function misfit(release: Release | undefined, version: string): string | undefined {
  if (release !== undefined)
    return version === release.version ? undefined : `${version}, not ${release.version}`
  // Sharded pub/sub came with Redis 7.0.
  return Number.parseInt(version, 10) >= 7 ? undefined : `${version}, older than 7.0`
}
