import process from 'node:process'
import { type Runtime, runtimes } from '../packaging/runtime.js'
import { type Flavour, flavours } from '../servers/index.js'
import { type DatabaseRelease, databaseReleases } from '../servers/sql/product.js'
import { type MatrixLibrary, matrixLibraries } from '../setup/clients.js'

export const nodeMajors = [20, 22, 24, 26] as const
export const installedMajor = Number(process.versions.node.split('.')[0])

/** One server release, one client library and one line of Node, to be tested together. */
export interface Combination {
  readonly flavour: Flavour
  readonly client: MatrixLibrary
  readonly nodeMajor: number
  readonly suites: readonly string[]
  /** What the package runs on, where that is not Node. */
  readonly runtime?: Exclude<Runtime, 'node'>
  /** A release of a database, where that is what is tested. */
  readonly database?: DatabaseRelease
}

const BASE_FLAVOUR: Flavour = 'redis-7.0'
const BASE_CLIENT: MatrixLibrary = 'ioredis-6'

/** What depends on how a server, or a client library, behaves. */
const STORE_SUITES = ['test/contract', 'test/connections', 'test/costs', 'test/fault']
/** What depends on how a server carries out scripts: every kind, on every server. */
const KIND_SUITES = [
  'test/kinds',
  'test/composite',
  'test/line',
  'test/liveness/failover.test.ts',
  'test/fence',
  'test/permits',
  'test/quarantine',
  'test/read-write',
  'test/replicas',
]
/** The same for a client that is not made like ioredis: the other tests of connections are about that one's options and habits. */
const OTHER_CLIENT_SUITES = [
  'test/clients',
  'test/contract',
  'test/fault',
  'test/connections/application-client.test.ts',
  'test/connections/cluster-moves.test.ts',
  'test/connections/command-deadline.test.ts',
  'test/connections/sentinels.test.ts',
  'test/connections/subscriptions.test.ts',
]
/** What depends on how Node behaves: contexts, timers, modules. */
const NODE_SUITES = ['test/contract', 'test/packaging/packaging.test.ts']
/** What the package does on a runtime that is no Node, which vitest does not run on. */
const RUNTIME_SUITES = ['test/packaging/runtimes.test.ts']

/**
 * Every server with one client and one Node, every client with one server and one Node, every Node with one server and one
 * client: what the three have to do with each other is little enough that the full product would mostly repeat itself. Each
 * runs with a standalone server, a cluster and a sentinel group. Beside them each release of a database that `npm test` does not use.
 */
export function combinations(): Combination[] {
  const base = { flavour: BASE_FLAVOUR, client: BASE_CLIENT, nodeMajor: installedMajor, suites: STORE_SUITES }
  const otherNodes = nodeMajors.filter((major) => major !== installedMajor)
  return [
    { ...base, suites: [...new Set([...STORE_SUITES, ...NODE_SUITES])] },
    ...flavours
      .filter((flavour) => flavour !== BASE_FLAVOUR)
      .map((flavour) => ({ ...base, flavour, suites: [...STORE_SUITES, ...KIND_SUITES] })),
    ...matrixLibraries
      .filter((client) => client !== BASE_CLIENT)
      .map((client) =>
        client.startsWith('node-') ? { ...base, client, suites: OTHER_CLIENT_SUITES } : { ...base, client },
      ),
    ...databaseReleases.map((database) => ({ ...base, database, suites: databaseSuites(database) })),
    ...otherNodes.map((nodeMajor) => ({ ...base, nodeMajor, suites: NODE_SUITES })),
    ...runtimes.flatMap((runtime) =>
      runtime === 'node' ? [] : [{ ...base, runtime, suites: RUNTIME_SUITES }],
    ),
  ]
}

function databaseSuites(database: DatabaseRelease): string[] {
  const product = database.startsWith('postgres') ? 'postgres' : 'mysql'
  return [`test/${product}`, `test/conformance/${product}.test.ts`]
}

export function isUsual(combination: Combination): boolean {
  return title(combination) === `${BASE_FLAVOUR}, ${BASE_CLIENT}, node ${installedMajor}`
}

export function title({ flavour, client, nodeMajor, database, runtime }: Combination): string {
  if (runtime !== undefined) return `${flavour}, ${client}, ${runtime}`
  return `${database ?? `${flavour}, ${client}`}, node ${nodeMajor}`
}
