export interface Part {
  readonly name: string
  readonly shows: string
  /** A command line, without quotes. */
  readonly command: string
  /** Files whose change asks for it. */
  readonly covers: RegExp
}

const CORE = /^(src\/(base|port|core|kinds|client|stores\/(line|redis))|lua)\//
const ROWS = /^src\/(core|port|stores\/(rows|sql|postgres|mysql|sqlite|server-locks))\//
const SESSIONS = /^src\/(core|port|stores\/(session|etcd|zookeeper|memcached))\//

type Row = Omit<Part, 'name'>

const chaos = (shows: string, covers: RegExp, options: string): Row => ({
  shows,
  command: `npm run chaos -- ${options}`,
  covers,
})

/** All that there is, in the order in which it runs: what fails soonest first. */
const rows: Readonly<Record<string, Row>> = {
  blocking: {
    shows: 'what CI runs',
    command:
      'npx vitest run --project virtual --project redis --project adapters --project places --project programs --project clock',
    covers: /./,
  },
  everywhere: {
    shows: 'the whole suite in every place',
    command: 'npx vitest run --project everywhere',
    covers: /^(src|lua)\//,
  },
  others: {
    shows: 'Redisson, Curator, browsers, shells, bundlers, collectors, the examples',
    command: 'npx vitest run --project others',
    covers: /^(src|lua|docs|examples|package\.json|README\.md)/,
  },
  installs: {
    shows:
      'the package, installed by every package manager beside old and new releases of what it works with',
    command: 'env HOLDFAST_EXHAUSTIVE=1 npx vitest run --project others test/packaging/installing.test.ts',
    covers: /^(package\.json|scripts\/bundle\.ts|test\/packaging\/)/,
  },
  matrix: {
    shows: 'every release of the servers, every client library, every line of Node',
    command: 'npx tsx test/matrix/run.ts others',
    covers: /^(src\/stores\/(redis|node-redis|rows|sql|postgres|mysql)|lua)\//,
  },
  containers: {
    shows: 'servers by testcontainers, where a Docker engine can be started',
    command:
      'bash test/servers/with-engine npx vitest run --project redis --project others test/contract/ test/servers/',
    covers: /^test\/servers\//,
  },
  spec: {
    shows: 'the model of the line, checked by Alloy',
    command: 'npm run spec',
    covers: /^(spec|lua|src\/stores\/line)\//,
  },
  mutants: chaos(
    'every broken version of the library is caught by chaos',
    /^(src\/(core|stores\/(redis|rows|session))|lua|test\/chaos)\//,
    '--mutants --seconds 1 --seed 1',
  ),
  chaos: chaos(
    'random programs under random faults on Redis',
    CORE,
    '--episode 5 --seconds 300 --seed 1 --nemeses calm,kill,pause,block-thread,server-crash,failover,client-kill,delete-key,proxy-cut,proxy-silence',
  ),
  'chaos-lingering': chaos(
    'the same with locks that linger',
    CORE,
    '--linger 150 --episode 5 --seconds 120 --seed 1000 --nemeses calm,kill,pause,client-kill,delete-key,proxy-silence',
  ),
  'chaos-databases': chaos(
    'the same on PostgreSQL, MySQL, MariaDB and SQLite',
    ROWS,
    '--topologies databases --episode 3 --seconds 180 --seed 1 --nemeses calm,kill,pause,failover,proxy-cut,database-pause,database-restart,session-kill,row-locks,delete-row,file-locked,file-full',
  ),
  'chaos-ensembles': chaos(
    'the same on etcd and ZooKeeper, whose leaders and majorities fail',
    SESSIONS,
    '--topologies etcd,zookeeper --episode 3 --seconds 180 --seed 1 --nemeses pause,proxy-cut,leader-kill,leader-move,quorum-loss,minority,compaction',
  ),
  'chaos-memcached': chaos(
    'the same on memcached, which may forget locks',
    SESSIONS,
    '--topologies memcached --episode 3 --seconds 40 --seed 1 --nemeses kill,cache-restart,cache-flush,cache-pause',
  ),
  kills: {
    shows: 'which project of tests kills which broken version of the library',
    command: 'npx tsx test/mutants/main.ts',
    covers: /^(src|lua|test)\//,
  },
  mutation: {
    shows: 'how many mutants of StrykerJS, of core, rows and session, live in virtual time',
    command: 'npx tsx test/mutants/mutation.ts --sample 200',
    covers: /^src\/(core|rows|session)\//,
  },
  bench: {
    shows: 'the benchmark compiles and runs',
    command: 'npm run check:bench',
    covers: /^(bench|src)\//,
  },
}

export const parts: readonly Part[] = Object.entries(rows).map(([name, row]) => ({ name, ...row }))
