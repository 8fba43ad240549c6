/** The package in the projects people have: their compilers, test runners, bundlers and frameworks, each with its usual settings. */
import { createHash } from 'node:crypto'
import { cp, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { duringAll } from '../setup/during.js'
import { install, PATIENCE_MS, pack, root } from './packed.js'
import { environment, Project } from './project.js'
import { fromNpm } from './runtime.js'

let tools: string

// The tools that people use Holdfast with are installed anew when the list of them changes.
beforeAll(async () => {
  const list = join(root, 'test/packaging/projects/tools.json')
  const version = createHash('sha1').update(await readFile(list))
  tools = await fromNpm(join('consumers', version.digest('hex').slice(0, 12)), async (draft) => {
    await cp(list, join(draft, 'package.json'))
    await install(draft)
  })
}, PATIENCE_MS)
const packed = duringAll(pack, PATIENCE_MS)
const project = duringAll(() => Project.install(packed.file, {}, 'projects', tools), PATIENCE_MS)

async function run(tool: string, ...args: string[]): Promise<string> {
  // Vitest sets NODE_ENV, and what runs here is no test of Vitest's.
  const env = { ...environment(), NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: '' }
  return await project.node([join(tools, 'node_modules', tool), ...args], env).catch((error: unknown) => {
    throw new Error(`${tool} ${args.join(' ')}: ${Object(error).stdout}${Object(error).stderr}`)
  })
}

/** How a project says what modules are to it. */
const modules = {
  commonjs: '--module commonjs',
  node16: '--module node16',
  node18: '--module node18',
  nodenext: '--module nodenext',
  bundler: '--module esnext --moduleResolution bundler',
}

describe.each([
  ['5.2', 'typescript-5.2'],
  ['5.9', 'typescript'],
  ['6', 'typescript-6'],
  ['7', 'typescript-7'],
])('TypeScript %s', { timeout: PATIENCE_MS }, (release, folder) => {
  for (const [name, options] of Object.entries(modules)) {
    // Newer than that release.
    if (name === 'node18' && release === '5.2') continue
    test(`a project with modules of ${name} compiles and runs`, async () => {
      const outDir = project.path('compiled', `${release}-${name}`)
      // It has resolved those of CommonJS in another way since 6.
      const resolution = name === 'commonjs' && Number(release) >= 6 ? ' --moduleResolution bundler' : ''
      const strict = '--target ES2022 --strict --types node --skipLibCheck typescript/main.ts --outDir'
      await run(join(folder, 'bin', 'tsc'), ...`${options}${resolution} ${strict}`.split(' '), outDir)
      const said = JSON.parse(await project.node([join(outDir, 'main.js')]))
      expect(said).toEqual({ nested: 2, refused: true, named: 10 })
    })
  }
})

describe('test runners', { timeout: PATIENCE_MS }, () => {
  test('Jest, as Nest sets it up: a project with NestJS, node-redis and ioredis, under fake timers too', () =>
    run('jest/bin/jest.js', '--rootDir', 'nest/src', '--config', 'nest/package.json', '--ci'))

  test('Mocha', async () =>
    expect(await run('mocha/bin/mocha.js', 'runners/lock.cjs')).toContain('2 passing'))

  test('Vitest, under fake timers', async () => {
    const said = await run('vitest/vitest.mjs', 'run', '--root', 'runners', '--no-color')
    expect(said).toMatch(/Tests +1 passed/)
  })
})

describe('bundlers', { timeout: PATIENCE_MS }, () => {
  test.each([
    ['webpack', 'main.mjs', 'bundle.cjs'],
    ['webpack', 'main.cjs', 'bundle.cjs'],
    ['rollup', 'main.mjs', 'bundle.mjs'],
    ['rollup', 'main.cjs', 'bundle.mjs'],
  ])('%s makes one file of %s that runs on its own', async (bundler, entry, file) => {
    const alone = await Project.bare()
    onTestFinished(() => alone.end())
    const script = project.path('bundlers', `${bundler}.mjs`)
    await project.node([script, project.path('bundlers', entry), alone.folder])
    expect(JSON.parse(await alone.node([alone.path(file)]))).toEqual({ nested: 2, refused: true })
  })

  test('Next.js builds a site whose server takes a lock', async () => {
    await mkdir(project.path('next', '.next'))
    expect(await run('next/dist/bin/next', 'build', 'next')).toContain('/locked')
  })
})
