/** The package in the projects people have: their compilers, test runners, bundlers and frameworks, each with its usual settings. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { pack } from './packed.js'
import { Project } from './project.js'
import { provideTools } from './tools.js'

/** Compilers, bundlers and installers take their time on a machine that runs other tests too. */
const PATIENCE_MS = 400_000

let tools: string
let project: Project

beforeAll(async () => {
  await using packed = await pack()
  tools = await provideTools()
  project = await Project.install(packed.file, {}, 'projects', tools)
  return () => project.remove()
}, PATIENCE_MS)

/** Runs a script of one of the tools. */
async function run(tool: string, ...args: string[]): Promise<string> {
  const env = {
    REDIS_URL: inject('servers').standalone.url,
    LOCK_NAME: `packaging:projects:${process.pid}`,
    NEXT_TELEMETRY_DISABLED: '1',
    // Vitest sets it, and what runs here is no test of Vitest's.
    NODE_ENV: '',
  }
  return await project.node([join(tools, 'node_modules', tool), ...args], env).catch((error: unknown) => {
    throw new Error(`${tool} ${args.join(' ')}: ${Object(error).stdout}${Object(error).stderr}`)
  })
}

/** How a project says what modules are to it. TypeScript has resolved those of CommonJS in another way since 6. */
const modules = {
  commonjs: (release: number) => [
    '--module',
    'commonjs',
    ...(release < 6 ? [] : ['--moduleResolution', 'bundler']),
  ],
  node16: () => ['--module', 'node16'],
  node18: () => ['--module', 'node18'],
  nodenext: () => ['--module', 'nodenext'],
  bundler: () => ['--module', 'esnext', '--moduleResolution', 'bundler'],
}

describe.each([
  ['5.2', 'typescript-5.2'],
  ['5.9', 'typescript'],
  ['6', 'typescript-6'],
  ['7', 'typescript-7'],
])('TypeScript %s', (release, folder) => {
  for (const [name, optionsOf] of Object.entries(modules)) {
    // Newer than that release.
    if (name === 'node18' && release === '5.2') continue
    test(`a project with modules of ${name} compiles and runs`, { timeout: PATIENCE_MS }, async () => {
      const outDir = project.path('compiled', `${release}-${name}`)
      const strict = ['--target', 'ES2022', '--strict', '--types', 'node', '--skipLibCheck']
      await run(
        join(folder, 'bin', 'tsc'),
        ...optionsOf(Number(release)),
        ...strict,
        '--outDir',
        outDir,
        'typescript/main.ts',
      )
      expect(JSON.parse(await project.node([join(outDir, 'main.js')]))).toEqual({
        nested: 2,
        refused: true,
        named: 10,
      })
    })
  }
})

describe('test runners', () => {
  test('Jest, as Nest sets it up: a project with NestJS, node-redis and ioredis, under fake timers too', {
    timeout: PATIENCE_MS,
  }, async () => {
    await run('jest/bin/jest.js', '--rootDir', 'nest/src', '--config', 'nest/package.json', '--ci')
  })

  test('Mocha', { timeout: PATIENCE_MS }, async () => {
    expect(await run('mocha/bin/mocha.js', 'runners/lock.cjs')).toContain('2 passing')
  })

  test('Vitest, under fake timers', { timeout: PATIENCE_MS }, async () => {
    expect(await run('vitest/vitest.mjs', 'run', '--root', 'runners', '--no-color')).toMatch(
      /Tests +1 passed/,
    )
  })
})

describe('bundlers', () => {
  test.each([
    ['webpack', 'main.mjs', 'bundle.cjs'],
    ['webpack', 'main.cjs', 'bundle.cjs'],
    ['rollup', 'main.mjs', 'bundle.mjs'],
    ['rollup', 'main.cjs', 'bundle.mjs'],
  ])(
    '%s makes one file of %s that runs on its own',
    { timeout: PATIENCE_MS },
    async (bundler, entry, file) => {
      const alone = await Project.bare()
      onTestFinished(() => alone.remove())
      await project.node([
        project.path('bundlers', `${bundler}.mjs`),
        project.path('bundlers', entry),
        alone.folder,
      ])
      expect(JSON.parse(await alone.node([alone.path(file)]))).toEqual({ nested: 2, refused: true })
    },
  )

  test('Next.js builds a site whose server takes a lock', { timeout: PATIENCE_MS }, async () => {
    await mkdir(project.path('next', '.next'))
    expect(await run('next/dist/bin/next', 'build', 'next')).toContain('/locked')
  })
})
