/** Who may import whom: the layers of the design, held on every import of `src`. */
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser'
import { beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A program of its own: it is bundled, with the client library it brings, into a text in the package. */
const watchdogThread = '^src/stores/redis/watchdog-thread/thread\\.ts$'

/** The rooms of `src`, from the ground up: each imports only those before it. */
const rooms = [
  'base',
  'observe',
  'port',
  'core',
  'kinds',
  'transactions',
  'stores',
  'client',
  'recipes',
  'holdfast.ts',
  'integrations',
  'index.ts',
  'cli',
  'conformance',
]

const ruleSet: IFlattenedRuleSet = {
  forbidden: [
    {
      name: 'core knows neither stores nor programs',
      from: { path: '^src/core/' },
      to: { path: '^src/(stores|cli)/' },
    },
    {
      name: 'core does no I/O: no package and none of Node’s modules',
      from: { path: '^src/core/' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-peer', 'npm-optional', 'npm-no-pkg'] },
    },
    {
      name: 'the memory store does not know Redis',
      from: { path: '^src/stores/memory/' },
      to: { path: '^src/stores/redis/' },
    },
    {
      name: 'the Redis store does not know memory',
      from: { path: '^src/stores/redis/' },
      to: { path: '^src/stores/memory/' },
    },
    {
      name: 'locks of a transaction know neither stores nor clients',
      from: { path: '^src/transactions/' },
      to: { path: '^src/(core|kinds|port|stores|client)/', pathNot: '^src/port/sql-connection\\.ts$' },
    },
    {
      name: 'a store in a database knows no other store',
      from: { path: '^src/stores/(mysql|postgres|sqlite)/' },
      to: { path: '^src/stores/(?!$1/)(mysql|postgres|sqlite|redis|memory|quorum)/' },
    },
    {
      name: 'a store on a coordination server knows no other store',
      from: { path: '^src/stores/(etcd|zookeeper|memcached)/' },
      to: {
        path: '^src/stores/(?!$1/)(etcd|zookeeper|memcached|mysql|postgres|sqlite|redis|memory|quorum)/',
      },
    },
    {
      name: 'the client of ZooKeeper knows nothing of locks',
      from: { path: '^src/stores/zookeeper/client/' },
      to: { path: '^src/(?!stores/zookeeper/client/|base/)' },
    },
    {
      name: 'the library does not know its command line',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
    {
      // Beside clients: what reads keys by their names and errors by their codes. Pure functions, of which it needs no copy.
      name: 'the command line does nothing that other programs could not, but look at keys',
      from: { path: '^src/cli/' },
      to: {
        path: '^src/(core|stores/(memory|redis))/',
        pathNot:
          '^src/stores/redis/(connection/(client|failure)|keys/(companion-key|read-write-keys|semaphore-keys))\\.ts$',
      },
    },
    {
      name: 'clients are told by their shape: only the command line and the watchdog thread import a client library',
      from: { path: '^src/', pathNot: `^src/cli/|${watchdogThread}` },
      to: { path: 'ioredis|iovalkey|node_modules/(pg|postgres|mysql2|mariadb)/' },
    },
    {
      name: 'the suite for other people’s stores is loaded by nothing else',
      from: { path: '^src/', pathNot: '^src/conformance/' },
      to: { path: '^src/conformance/' },
    },
    {
      name: 'the suite for other people’s stores knows none of ours',
      from: { path: '^src/conformance/' },
      to: { path: '^src/(stores|cli)/' },
    },
    {
      name: 'the command line’s packages are not loaded with the library',
      from: {
        path: '^src/',
        pathNot: `^src/(cli|conformance|integrations)/|${watchdogThread}`,
      },
      to: { path: 'node_modules', pathNot: 'node_modules/eventemitter3/' },
    },
    {
      name: 'the library does not know the frameworks, and a framework’s way in knows no other',
      from: { path: '^src/', pathNot: '^src/integrations/(nestjs|fastify)/' },
      to: { path: '^src/integrations/(nestjs|fastify)/' },
    },
    {
      name: 'a framework’s way in is made of the public parts: it knows neither core nor stores',
      from: { path: '^src/integrations/' },
      to: { path: '^src/(core|stores/(rows|session|memory|quorum))/' },
    },
    {
      name: 'OpenTelemetry and Prometheus know of the library what it tells, and of each other nothing',
      from: { path: '^src/integrations/(otel|prometheus)/' },
      to: { path: '^src/(?!integrations/$1/|observe/|base/)' },
    },
    {
      name: 'the library knows neither OpenTelemetry nor Prometheus',
      from: { path: '^src/', pathNot: '^src/integrations/(otel|prometheus)/' },
      to: { path: '^src/integrations/(otel|prometheus)/' },
    },
    {
      // The command line's packages are bundled into it, and it imports clients where they are; vitest runs the suite that imports it.
      name: 'what runs at a user’s is installed at a user’s',
      from: { path: '^src/', pathNot: `^src/(cli|conformance)/|${watchdogThread}` },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'unknown'], dependencyTypesNot: ['npm-peer'] },
    },
    { name: 'everything imported exists', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no module needs itself, not even for a type',
      from: { path: '^src/' },
      to: { circular: true },
    },
  ],
}

let found: ICruiseResult

beforeAll(async () => {
  const { output } = await cruise(['src'], {
    baseDir: root,
    ruleSet,
    validate: true,
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  })
  if (typeof output === 'string') throw new Error(output)
  found = output
}, 240_000)

test('every source was looked at, and its imports understood', () => {
  const sources = found.modules.map(({ source }) => source)
  expect(sources).toEqual(
    expect.arrayContaining(['src/index.ts', 'src/core/acquire/acquisition.ts', 'src/stores/memory/store.ts']),
  )
  const imports = found.modules.find(({ source }) => source === 'src/kinds/lock.ts')?.dependencies ?? []
  expect(imports.map(({ resolved }) => resolved)).toEqual(
    expect.arrayContaining(['src/base/errors/errors.ts', 'src/kinds/acquiring/acquirer.ts']),
  )
})

describe('imports', () => {
  test.each((ruleSet.forbidden ?? []).map(({ name = '' }) => name))('%s', (name) => {
    const broken = found.summary.violations
      .filter(({ rule }) => rule.name === name)
      .map(({ from, to, cycle }) => `${from} → ${cycle?.map((step) => step.name).join(' → ') ?? to}`)
    expect(broken).toEqual([])
  })
})

/** The room of a file of `src`, and nothing for a package. */
function roomOf(path: string): string | undefined {
  return /^src\/([^/]+)/.exec(path)?.[1]
}

/** Which room imports which, each with the imports that make it so. */
function arrows(): Map<string, string[]> {
  const arrows = new Map<string, string[]>()
  for (const { source, dependencies } of found.modules) {
    for (const { resolved } of dependencies) {
      const [from, to] = [roomOf(source), roomOf(resolved)]
      if (from === undefined || to === undefined || from === to) continue
      const arrow = `${from} → ${to}`
      arrows.set(arrow, [...(arrows.get(arrow) ?? []), `${source} → ${resolved}`])
    }
  }
  return arrows
}

describe('the rooms of src', () => {
  test('are those of the plan', () => {
    const sources = found.modules.map(({ source }) => roomOf(source)).filter((room) => room !== undefined)
    expect([...new Set(sources)].sort()).toEqual([...rooms].sort())
  })

  test('import downwards only', () => {
    const up = [...arrows()].filter(([arrow]) => {
      const [from = '', to = ''] = arrow.split(' → ')
      return rooms.indexOf(to) >= rooms.indexOf(from)
    })
    expect(Object.fromEntries(up)).toEqual({})
  })

  test('have few arrows between them', () => {
    expect([...arrows().keys()].length).toBeLessThanOrEqual(65)
  })
})
