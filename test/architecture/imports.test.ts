/** Who may import whom: the layers of the design, held on every import of `src`. */
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseResult, type IRegularForbiddenRuleType } from 'dependency-cruiser'
import { beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A program of its own: it is bundled, with the client library it brings, into a text in the package. */
const watchdogThread = '^src/stores/redis/watchdog-thread/thread\\.ts$'

/** The rooms of `src`, from the ground up: each imports only those before it. */
const rooms = [
  ...['base', 'observe', 'port', 'core', 'kinds', 'transactions', 'stores', 'client', 'recipes'],
  ...['holdfast.ts', 'integrations', 'index.ts', 'cli', 'conformance'],
]

type Files = IRegularForbiddenRuleType['from'] & IRegularForbiddenRuleType['to']

/** What these files must not import. */
function apart(from: string | Files, to: string | Files): { from: Files; to: Files } {
  const filesOf = (files: string | Files): Files => (typeof files === 'string' ? { path: files } : files)
  return { from: filesOf(from), to: filesOf(to) }
}
const src = (pathNot: string): Files => ({ path: '^src/', pathNot })

const forbidden = {
  'core knows neither stores nor programs': apart('^src/core/', '^src/(stores|cli)/'),
  'core does no I/O: no package and none of Node’s modules': apart('^src/core/', {
    dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-peer', 'npm-optional', 'npm-no-pkg'],
  }),
  'the memory store does not know Redis': apart('^src/stores/memory/', '^src/stores/redis/'),
  'the Redis store does not know memory': apart('^src/stores/redis/', '^src/stores/memory/'),
  'locks of a transaction know neither stores nor clients': apart('^src/transactions/', {
    path: '^src/(core|kinds|port|stores|client)/',
    pathNot: '^src/port/(sql-connection|failure)\\.ts$',
  }),
  'a store in a database knows no other store': apart(
    '^src/stores/(mysql|postgres|sqlite)/',
    '^src/stores/(?!$1/)(mysql|postgres|sqlite|redis|memory|quorum)/',
  ),
  'a store on a coordination server knows no other store': apart(
    '^src/stores/(etcd|zookeeper|memcached)/',
    '^src/stores/(?!$1/)(etcd|zookeeper|memcached|mysql|postgres|sqlite|redis|memory|quorum)/',
  ),
  'the client of ZooKeeper knows nothing of locks': apart(
    '^src/stores/zookeeper/client/',
    '^src/(?!stores/zookeeper/client/|base/)',
  ),
  'the library does not know its command line': apart(src('^src/cli/'), '^src/cli/'),
  // Beside clients: what reads keys by their names and errors by their codes. Pure functions, of which it needs no copy.
  'the command line does nothing that other programs could not, but look at keys': apart('^src/cli/', {
    path: '^src/(core|stores/(memory|redis))/',
    pathNot:
      '^src/stores/redis/(connection/(client|failure)|keys/(companion-key|read-write-keys|semaphore-keys))\\.ts$',
  }),
  'clients are told by their shape: only the command line and the watchdog thread import a client library':
    apart(src(`^src/cli/|${watchdogThread}`), 'ioredis|iovalkey|node_modules/(pg|postgres|mysql2|mariadb)/'),
  'the suite for other people’s stores is loaded by nothing else': apart(
    src('^src/conformance/'),
    '^src/conformance/',
  ),
  'the suite for other people’s stores knows none of ours': apart('^src/conformance/', '^src/(stores|cli)/'),
  'the command line’s packages are not loaded with the library': apart(
    src(`^src/(cli|conformance|integrations)/|${watchdogThread}`),
    { path: 'node_modules', pathNot: 'node_modules/eventemitter3/' },
  ),
  'the library does not know the frameworks, and a framework’s way in knows no other': apart(
    src('^src/integrations/(nestjs|fastify)/'),
    '^src/integrations/(nestjs|fastify)/',
  ),
  'a framework’s way in is made of the public parts: it knows neither core nor stores': apart(
    '^src/integrations/',
    '^src/(core|stores/(rows|session|memory|quorum))/',
  ),
  'OpenTelemetry and Prometheus know of the library what it tells, and of each other nothing': apart(
    '^src/integrations/(otel|prometheus)/',
    '^src/(?!integrations/$1/|observe/|base/)',
  ),
  'the library knows neither OpenTelemetry nor Prometheus': apart(
    src('^src/integrations/(otel|prometheus)/'),
    '^src/integrations/(otel|prometheus)/',
  ),
  // The command line's packages are bundled into it, and it imports clients where they are; vitest runs the suite that imports it.
  'what runs at a user’s is installed at a user’s': apart(src(`^src/(cli|conformance)/|${watchdogThread}`), {
    dependencyTypes: ['npm-dev', 'npm-no-pkg', 'unknown'],
    dependencyTypesNot: ['npm-peer'],
  }),
  'everything imported exists': apart({}, { couldNotResolve: true }),
  'no module needs itself, not even for a type': apart('^src/', { circular: true }),
}

let found: ICruiseResult

beforeAll(async () => {
  const { output } = await cruise(['src'], {
    baseDir: root,
    ruleSet: { forbidden: Object.entries(forbidden).map(([name, rule]) => ({ name, ...rule })) },
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
  test.each(Object.keys(forbidden))('%s', (name) => {
    const broken = found.summary.violations
      .filter(({ rule }) => rule.name === name)
      .map(({ from, to, cycle }) => `${from} → ${cycle?.map((step) => step.name).join(' → ') ?? to}`)
    expect(broken).toEqual([])
  })
})

/** The room of a file of `src`, and nothing for a package. */
const roomOf = (path: string): string | undefined => /^src\/([^/]+)/.exec(path)?.[1]

/** Which room imports which. */
function arrows(): Array<readonly [from: string, to: string]> {
  const all = found.modules.flatMap(({ source, dependencies }) =>
    dependencies.map(({ resolved }) => `${roomOf(source)} ${roomOf(resolved)}`),
  )
  return [...new Set(all)]
    .map((arrow) => arrow.split(' '))
    .flatMap(([from = '', to = '']) => (from === to || to === 'undefined' ? [] : [[from, to] as const]))
}

describe('the rooms of src', () => {
  test('are those of the plan', () => {
    const sources = found.modules.map(({ source }) => roomOf(source)).filter((room) => room !== undefined)
    expect([...new Set(sources)].sort()).toEqual([...rooms].sort())
  })

  test('import downwards only', () => {
    expect(arrows().filter(([from, to]) => rooms.indexOf(to) >= rooms.indexOf(from))).toEqual([])
  })

  test('have few arrows between them', () => {
    expect(arrows().length).toBeGreaterThan(10)
    expect(arrows().length).toBeLessThanOrEqual(65)
  })
})
