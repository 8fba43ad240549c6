/** Who may import whom: the layers of the design, held on every import of `src`. */
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser'
import { beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A program of its own: it is bundled, with the client library it brings, into a text in the package. */
const watchdogThread = '^src/stores/redis/watchdog-thread/thread\\.ts$'

const ruleSet: IFlattenedRuleSet = {
  forbidden: [
    {
      name: 'core knows neither stores nor programs',
      from: { path: '^src/core/' },
      to: { path: '^src/(redis|memory|quorum|cli)/' },
    },
    {
      name: 'core does no I/O: no package and none of Node’s modules',
      from: { path: '^src/core/' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-peer', 'npm-optional', 'npm-no-pkg'] },
    },
    {
      name: 'the memory store does not know Redis',
      from: { path: '^src/stores/memory/' },
      to: { path: '^src/(redis|cli)/' },
    },
    {
      name: 'the Redis store does not know memory',
      from: { path: '^src/stores/redis/' },
      to: { path: '^src/(memory|cli)/' },
    },
    {
      name: 'locks of a transaction know neither stores nor clients',
      from: { path: '^src/transactions/' },
      to: { path: '^src/(core|kinds|ports|redis|memory|rows|quorum|lock)/' },
    },
    {
      name: 'a store in a database knows no other store',
      from: { path: '^src/(mysql|postgres|sqlite)/' },
      to: { path: '^src/(?!$1/)(mysql|postgres|sqlite|redis|memory|quorum|cli)/' },
    },
    {
      name: 'a store on a coordination server knows no other store',
      from: { path: '^src/(etcd|zookeeper|memcached)/' },
      to: { path: '^src/(?!$1/)(etcd|zookeeper|memcached|mysql|postgres|sqlite|redis|memory|quorum|cli)/' },
    },
    {
      name: 'the client of ZooKeeper knows nothing of locks',
      from: { path: '^src/stores/zookeeper/client/' },
      to: { path: '^src/(?!zookeeper/client/|time/|errors/)' },
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
        path: '^src/(core|memory|redis)/',
        pathNot:
          '^src/(redis/(connection/(client|failure)|locks/(companion-key|read-write-keys)|permits/semaphore-keys)|rows/glob)\\.ts$',
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
      to: { path: '^src/(redis|memory|quorum|cli)/' },
    },
    {
      name: 'the command line’s packages are not loaded with the library',
      from: {
        path: '^src/',
        pathNot: `^src/(cli|conformance|nestjs|fastify|otel|prometheus)/|${watchdogThread}`,
      },
      to: { path: 'node_modules', pathNot: 'node_modules/eventemitter3/' },
    },
    {
      name: 'the library does not know the frameworks, and a framework’s way in knows no other',
      from: { path: '^src/', pathNot: '^src/(nestjs|fastify)/' },
      to: { path: '^src/(nestjs|fastify)/' },
    },
    {
      name: 'a framework’s way in is made of the public parts: it knows neither core nor stores',
      from: { path: '^src/(nestjs|fastify|decorators|service|http)/' },
      to: { path: '^src/(core|rows|session|memory|quorum|cli)/' },
    },
    {
      name: 'OpenTelemetry and Prometheus know of the library what it tells, and of each other nothing',
      from: { path: '^src/(otel|prometheus)/' },
      to: { path: '^src/(?!$1/|trace/|metrics/|errors/|packages/|facade/checks\\.ts)' },
    },
    {
      name: 'the library knows neither OpenTelemetry nor Prometheus',
      from: { path: '^src/', pathNot: '^src/(otel|prometheus)/' },
      to: { path: '^src/(otel|prometheus)/' },
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
}, 60_000)

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
