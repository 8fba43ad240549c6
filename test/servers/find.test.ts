import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findBinary } from './binary.js'
import { findWay, type Lookups, NoServerError, type Preference } from './find.js'
import { parseWanted } from './flavour.js'
import type { How, Lookup, Need, Way } from './launch.js'
import { findPackage } from './packages.js'
import { processLauncher } from './process.js'

const any: Need = { wanted: 'any', group: false }

function way(how: How): Way {
  return { how, from: 'somewhere', launcher: processLauncher(['true']) }
}

/** Places of which only some have a server. */
function lookups(...having: readonly How[]): Lookups {
  const lookup = (how: How): Lookup => {
    return async () => (having.includes(how) ? way(how) : `nothing by ${how}`)
  }
  return { docker: lookup('docker'), binary: lookup('binary'), package: lookup('package') }
}

describe('the decision', () => {
  test.each<[Preference, How, readonly How[]]>([
    ['docker', 'docker', ['docker', 'binary', 'package']],
    ['docker', 'binary', ['binary', 'package']],
    ['docker', 'package', ['package']],
    ['binary', 'binary', ['docker', 'binary', 'package']],
    ['binary', 'docker', ['docker', 'package']],
    ['binary', 'package', ['package']],
  ])('preferring %s takes %s where there are %j, and says so on one line', async (prefer, how, having) => {
    const say = vi.fn()
    expect(await findWay(any, prefer, lookups(...having), say)).toMatchObject({ how })
    expect(say.mock.calls).toEqual([[`holdfast: servers by ${how}: somewhere`]])
  })

  test('with nothing to be had tells what was tried and what to do', async () => {
    const failure = findWay({ wanted: 'valkey-8.1', group: false }, 'docker', lookups(), () => {})
    await expect(failure).rejects.toBeInstanceOf(NoServerError)
    for (const part of [
      'no valkey-8.1 server',
      'nothing by docker',
      'nothing by binary',
      'nothing by package',
      'sudo apt-get install',
      'sudo dnf install',
      'sudo apk add',
      'brew install',
      'start Docker',
      'HOLDFAST_REDIS_URL=redis://',
      'HOLDFAST_FLAVOUR=any',
    ]) {
      await expect(failure).rejects.toThrow(part)
    }
  })
})

describe('a binary on PATH', () => {
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-path-'))
    vi.stubEnv('PATH', folder)
  })

  afterEach(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true, force: true })
  })

  async function install(program: string, line: string): Promise<void> {
    await writeFile(join(folder, program), `#!/bin/sh\necho '${line}'\n`)
    await chmod(join(folder, program), 0o755)
  }

  test('is taken in the version asked for', async () => {
    await install('redis-server', 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64')
    const found = { how: 'binary', from: join(folder, 'redis-server') }
    expect(await findBinary(any)).toMatchObject(found)
    expect(await findBinary({ wanted: 'redis-7.0', group: true })).toMatchObject(found)
    expect(await findBinary({ wanted: 'redis-8.0', group: true })).toContain('is 7.0, not 8.0')
    expect(await findBinary({ wanted: 'valkey-8.1', group: true })).toBe('no valkey-server on PATH')
  })

  test('is refused where it is too old, in favour of the next', async () => {
    await install('redis-server', 'Redis server v=6.2.14 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64')
    expect(await findBinary(any)).toMatch(/is 6\.2, older than 7\.0, no valkey-server on PATH$/)
    await install('valkey-server', 'Valkey server v=8.1.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64')
    expect(await findBinary(any)).toMatchObject({ how: 'binary', from: join(folder, 'valkey-server') })
  })

  test('is looked for in vain', async () => {
    expect(await findBinary(any)).toBe('no redis-server on PATH, no valkey-server on PATH')
  })

  test('could be brought by a package manager that the user has to call', async () => {
    expect(await findPackage(any)).toContain('no package manager')
    await install('brew', '')
    expect(await findPackage(any)).toBe('brew can bring one, if you run: brew install redis')
  })
})

test('an unknown flavour is refused with those there are', () => {
  expect(() => parseWanted('redis-6.2')).toThrow(
    "'redis-6.2'; there are redis-7.0, redis-8.0, valkey-8.1, any",
  )
})
