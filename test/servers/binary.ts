import { releases } from './flavour.js'
import { run } from './kept.js'
import type { Need, Way } from './launch.js'
import { onPath } from './path.js'
import { processLauncher } from './process.js'

export async function findBinary({ wanted }: Need): Promise<Way | string> {
  const programs = wanted === 'any' ? ['redis-server', 'valkey-server'] : [releases[wanted].program]
  const refused: string[] = []
  for (const program of programs) {
    const path = await onPath(program)
    if (path === undefined) {
      refused.push(`no ${program} on PATH`)
      continue
    }
    const { stdout } = await run(path, ['--version'])
    const version = /^(?:Redis|Valkey) server v=(\d+\.\d+)/.exec(stdout)?.[1] ?? 'of unknown version'
    // Sharded pub/sub came with Redis 7.0.
    const fits = wanted === 'any' ? Number.parseInt(version, 10) >= 7 : version === releases[wanted].version
    if (fits) return { how: 'binary', from: path, launcher: processLauncher([path]) }
    refused.push(`${path} is ${version}, ${wanted === 'any' ? 'older than 7.0' : `not ${wanted}`}`)
  }
  return refused.join(', ')
}
