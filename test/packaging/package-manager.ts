import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { npm } from './packed.js'

const run = promisify(execFile)

/** What people install packages with. Each comes from npm, once, into the user's cache folder. */
export const packageManagers = ['npm 10', 'npm 11', 'pnpm 10', 'yarn 4'] as const

/** A release of a package manager: how it installs what a project depends on, and how it starts Node there. */
export interface PackageManager {
  install(folder: string): Promise<void>
  node(folder: string, args: readonly string[]): Promise<string>
}

const programs = {
  npm: {
    source: 'npm',
    file: 'npm/bin/npm-cli.js',
    install: ['--no-audit', '--no-fund', '--prefer-offline'],
  },
  pnpm: { source: 'pnpm', file: 'pnpm/bin/pnpm.cjs', install: ['--prefer-offline'] },
  yarn: { source: '@yarnpkg/cli-dist', file: '@yarnpkg/cli-dist/bin/yarn.js', install: [] },
}

/** @param node what runs it. */
export async function providePackageManager(
  name: (typeof packageManagers)[number],
  node = process.execPath,
): Promise<PackageManager> {
  const [, family = '', release = ''] = /^(\w+) (\d+)$/.exec(name) ?? []
  const { source, file, install } = programs[family === 'npm' || family === 'pnpm' ? family : 'yarn']
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const folder = join(cache, 'holdfast', 'package-managers', `${family}-${release}`)
  const program = join(folder, 'node_modules', file)
  await mkdir(folder, { recursive: true })
  const starts = await run(process.execPath, [program, '--version'], { cwd: folder }).then(
    () => true,
    () => false,
  )
  if (!starts)
    await npm(folder, [
      'install',
      '--prefix',
      folder,
      '--no-save',
      '--no-audit',
      '--no-fund',
      `${source}@${release}`,
    ])
  const start = async (cwd: string, args: readonly string[]): Promise<string> => {
    const { stdout } = await run(node, args, { cwd, env: environment(), timeout: 300_000 })
    return stdout.trim()
  }
  return {
    async install(cwd) {
      // Yarn takes a folder for a project of its own that has this file.
      if (family === 'yarn') await writeFile(join(cwd, 'yarn.lock'), '')
      const scripts = family === 'yarn' ? [] : ['--ignore-scripts']
      await start(cwd, [program, 'install', ...install, ...scripts])
    },
    // Yarn keeps packages in archives, which Node reads with its help only.
    node: (cwd, args) => start(cwd, family === 'yarn' ? [program, 'node', ...args] : args),
  }
}

/** As of a user at a terminal: in a CI, and below an npm that runs this, package managers have other settings. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|CI$|NODE_ENV$)/i.test(name))
  return { ...Object.fromEntries(own), YARN_ENABLE_TELEMETRY: '0', YARN_ENABLE_SCRIPTS: '0' }
}
