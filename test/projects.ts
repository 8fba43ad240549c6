/**
 * Which test files run together, in which order, and in which tier. A file that no list names belongs to `redis`, so that a new one
 * always runs. docs/testing.md explains the tiers.
 */

/** Tests that run side by side. */
export interface Project {
  readonly name: string
  /** `blocking` runs in CI, `exhaustive` before a release and after a change to what it covers (`npm run test:all`). */
  readonly tier: 'blocking' | 'exhaustive'
  /** Globs, relative to the root of the package. */
  readonly files: readonly string[]
  /** How many files run at once. What waits for leases costs no processor, but each file that runs makes the others late. */
  readonly workers: number
  /** Whether Redis, and whatever else tests ask for, is there. */
  readonly servers: boolean
  /** Whether only the chosen cases of the conformance suite run, see chosen-cases.ts. */
  readonly chosen?: boolean
}

/** No server, no process, virtual time where time is the subject: the same in each run, however busy the machine. */
const virtual: Project = {
  name: 'virtual',
  tier: 'blocking',
  files: [
    'test/{architecture,bench,chaos,decorators,http,matrix,model,mutants,session,unit,wire}/**/*.test.ts',
    'test/conformance/memory*.test.ts',
    'test/contract/{combinations,memory-virtual-time}.test.ts',
    'test/cli/{card,key-names,look-pace,seconds}.test.ts',
    'test/deadlock/{chase,cycles,virtual-time}.test.ts',
    'test/docs/{claims,demo-picture,errors,guarantees,options,stores}.test.ts',
    'test/leader/virtual-time.test.ts',
    'test/line/{client-line,line-for-a-while,memory,row-grants,told}.test.ts',
    'test/liveness/{many-in-line,news-and-answers,schedules}.test.ts',
    'test/memcached/{options,reply}.test.ts',
    'test/metrics/{histogram,traces}.test.ts',
    'test/otel/{holders,metrics}.test.ts',
    'test/permits/{conservation,listed}.test.ts',
    'test/prometheus/expose.test.ts',
    'test/properties/{addresses,error-texts,lease-time,schedule}.test.ts',
    'test/quorum/{arithmetic,left-votes,members,restart-guard,tenure,tickets,twins,votes}.test.ts',
    'test/replicas/acknowledged-port.test.ts',
    'test/rows/{contended-lease,entrance,line-looks}.test.ts',
    'test/server-locks/waits.test.ts',
    'test/transactions/locking-clauses.test.ts',
    'test/watchdog-thread/{client-settings,instant,watch-list}.test.ts',
    'test/zookeeper/names.test.ts',
  ],
  workers: 3,
  servers: false,
}

/** The other stores, topologies and processes: what only they can show. */
const adapters: Project = {
  name: 'adapters',
  tier: 'blocking',
  files: [
    'test/{etcd,memcached,mysql,postgres,quorum,replicas,rows,server-locks,transactions,zookeeper}/**/*.test.ts',
    'test/conformance/{etcd,postgres,sqlite}.test.ts',
    'test/composite/multi-lock-stores.test.ts',
    'test/connections/{cluster-table,credentials,growth}.test.ts',
    'test/contract/memory.test.ts',
    'test/deadlock/processes.test.ts',
    'test/kinds/quorum.test.ts',
    'test/lessons/cluster.test.ts',
    'test/liveness/failover.test.ts',
    'test/quarantine/*.test.ts',
    'test/sqlite/{processes,sections}.test.ts',
    'test/watchdog-thread/holdfast.test.ts',
  ],
  workers: 5,
  servers: true,
}

/** The suite in places whose mechanism other places show in full: the cases that are chosen for them. */
const places: Project = {
  name: 'places',
  tier: 'blocking',
  files: [
    'test/conformance/{advisory,file-store,get-lock,memcached,mysql,postgres-js,zookeeper}.test.ts',
    'test/contract/{cluster,sentinel}.test.ts',
  ],
  workers: 5,
  servers: true,
  chosen: true,
}

/** The command line, and applications of frameworks. */
const programs: Project = {
  name: 'programs',
  tier: 'blocking',
  files: ['test/{cli,fastify,nestjs}/**/*.test.ts'],
  workers: 4,
  servers: true,
}

/** What measures how long something takes: last, when nothing else runs. */
const clock: Project = {
  name: 'clock',
  tier: 'blocking',
  files: [
    'test/cli/run-tree.test.ts',
    'test/connections/{cluster-moves,command-deadline,process,sentinels,wrong-server}.test.ts',
    'test/costs/{contention,hand-over,renewal,shares}.test.ts',
    'test/fault/{hung-server,other-type,refused-commands,restart,resumed-machine,short-lease,silent-news,store-timeout}.test.ts',
    'test/lessons/{fair-line,lease,outage,redlock}.test.ts',
    'test/liveness/{settling,waking}.test.ts',
    'test/permits/lease-time.test.ts',
    'test/rows/limits.test.ts',
    'test/quorum/other-type.test.ts',
    'test/redisson/read-write-expiry.test.ts',
    'test/replicas/moving-wake-up.test.ts',
  ],
  workers: 4,
  servers: true,
}

/** The suite in full in every place. */
const everywhere: Project = {
  name: 'everywhere',
  tier: 'exhaustive',
  files: places.files,
  workers: 5,
  servers: true,
}

/** Programs of others, beside which Holdfast works: Redisson, Curator, browsers, bundlers, collectors. */
const others: Project = {
  name: 'others',
  tier: 'exhaustive',
  files: [
    'test/{examples,interop,packaging,servers}/**/*.test.ts',
    'test/cli/{completion,stores}.test.ts',
    'test/cli/ui/{axe,cost,list,lock,mounted-page}.test.ts',
    'test/docs/examples.test.ts',
    'test/etcd/neighbours.test.ts',
    'test/otel/collector.test.ts',
    'test/prometheus/server.test.ts',
    'test/zookeeper/{curator,ensemble}.test.ts',
  ],
  workers: 4,
  servers: true,
}

const named = [virtual, clock, others, places, adapters, programs]

/** Redis on one server, and whatever is new. */
const redis: Project = {
  name: 'redis',
  tier: 'blocking',
  files: ['test/**/*.test.ts'],
  workers: 6,
  servers: true,
}

/** In the order in which they run. */
export const projects: readonly Project[] = [
  virtual,
  redis,
  adapters,
  places,
  programs,
  clock,
  everywhere,
  others,
]

/** The files of each project that another one has: what a list names more closely belongs there. */
export function filesOfOthers({ name }: Project): string[] {
  if (name === 'everywhere') return []
  const place = named.findIndex((each) => each.name === name)
  return (place < 0 ? named : named.slice(0, place)).flatMap(({ files }) => files)
}
