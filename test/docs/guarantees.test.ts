/** Every cell of the tables "By store" of docs/guarantees.md is shown by tests: found here by the numbers of their rules, or by name. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { filesIn } from '../architecture/files.js'
import { testNamesOf } from '../architecture/test-names.js'

const page = await readFile(new URL('../../docs/guarantees.md', import.meta.url), 'utf8')

/** Where a store's tests are: the file that runs the shared suite on it, and its own. */
interface Shown {
  readonly suite: string
  readonly own: readonly string[]
}

const onRedis = ['test/fault/', 'test/line/', 'test/connections/', 'test/lessons/']
const columns: Readonly<Record<string, Shown>> = {
  standalone: { suite: 'test/contract/standalone.test.ts', own: [...onRedis, 'test/costs/'] },
  Sentinel: { suite: 'test/contract/sentinel.test.ts', own: onRedis },
  Cluster: { suite: 'test/contract/cluster.test.ts', own: onRedis },
  memory: { suite: 'test/conformance/memory.test.ts', own: ['test/contract/memory.test.ts'] },
  PostgreSQL: {
    suite: 'test/conformance/postgres.test.ts',
    own: ['test/postgres/', 'test/rows/', 'test/transactions/'],
  },
  'MySQL, MariaDB': {
    suite: 'test/conformance/mysql.test.ts',
    own: ['test/mysql/', 'test/rows/', 'test/transactions/'],
  },
  SQLite: { suite: 'test/conformance/sqlite.test.ts', own: ['test/rows/', 'test/sqlite/'] },
  etcd: { suite: 'test/conformance/etcd.test.ts', own: ['test/etcd/', 'test/session/told'] },
  ZooKeeper: { suite: 'test/conformance/zookeeper.test.ts', own: ['test/zookeeper/', 'test/session/told'] },
  memcached: { suite: 'test/conformance/memcached.test.ts', own: ['test/memcached/'] },
}

/** What the suite of `test/contract` does not run: its servers are disturbed for real, by tests of their own. */
const NOT_ON_REDIS = 'disturbance.cases.ts'

/** Rows without a rule, and cells that say more than their rule: by the row's first words, then by its columns, the names of tests. */
const named: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>> = {
  'one owner at a time': {
    Sentinel: 'checkReplicas: a lock that was acquired is there after its primary has crashed',
    SQLite: 'processes that are killed, wherever they are, hold nobody up',
    etcd: [
      'is killed and comes back: sections go on, one at a time',
      'is moved: sections go on, one at a time',
      'a member that the others do not reach is left for one of them',
    ],
    ZooKeeper: [
      'S7: the leader is killed: the session goes on with the next one, and nothing is lost',
      'S7: a member that is parted from the others is left for one of them, within the session',
    ],
  },
  'free after a crash of the holder': {
    'standalone + Sentinel + Cluster':
      'L1: a hold with a lease is not renewed; when the lease ends the next waiter gets in',
    'memory + memcached':
      'L3: a holder that is never heard of again has lost its lock one lease later, and knows',
    'PostgreSQL + MySQL, MariaDB': 'S8: a holder that is killed holds others up for its lease, and no longer',
    SQLite: 'processes that are killed, wherever they are, hold nobody up',
    etcd: 'S8: Holdfast, in the middle of its sections: Go goes on, and no update is lost',
    ZooKeeper:
      'S8: a process of Holdfast that is killed with the lock holds Curator up no longer than its session',
  },
  'a holder that was stopped or cut off': {
    'PostgreSQL + MySQL, MariaDB + SQLite':
      'L3, S2: a holder that is stopped past its lease knows at its first check, and its late release frees nothing',
    'PostgreSQL + MySQL, MariaDB':
      'L3: a holder that is never heard of again has lost its lock one lease later, and knows',
    'etcd + ZooKeeper': [
      'L3, S2: processes that are stopped past their sessions, in 20 of 20 runs',
      'L3, S1: processes that are cut off from the server, in 20 of 20 runs',
    ],
    memcached: 'L3: a holder knows by its own clock that its lease has ended',
  },
  'servers that fail': {
    PostgreSQL:
      'to a synchronous replica: holds and tokens are kept, and those that wait are served in their order',
    'PostgreSQL + MySQL, MariaDB':
      'L3: a server that crashes costs no lock whose time goes on; the others are told, and can be had again',
    SQLite: 'a disk that is full is told, changes nothing, and is over when there is room',
    etcd: 'L3: without a majority a lock is lost to its holder when its time is over, and is to be had when there is one again',
    ZooKeeper:
      'a majority is lost and comes back: a keep-alive counts for nothing meanwhile, and locks can be had again',
    memcached: 'L4: %s: others get the lock at once, and the holder learns of it with its next renewal',
  },
  'neighbours in the same line': {
    etcd: [
      'S8: what Go holds is held for Holdfast, and what Holdfast holds for Go; a release is told at once',
      'S8: what etcdctl holds is held for Holdfast, and what Holdfast holds for etcdctl',
    ],
    ZooKeeper: [
      'takes turns with Holdfast, in the order of the line',
      'readers of both share, writers of both wait for them and for each other',
    ],
  },
  'a server that restarts without its data': {
    standalone:
      'W2, X2: without data and scripts, while one waits for a %s: the waiter is in, the holder is told',
    'Sentinel + Cluster': 'L4: a renewal answered "not yours" is loss at once, long before the deadline',
  },
  'whose clock decides': {
    'PostgreSQL + MySQL, MariaDB': 'a change sees the time of the server',
    SQLite: 'all clients of a machine have the same time, whatever becomes of its wall clock',
  },
  'wake-up without polling': {
    standalone: 'common-voice PR#2476, discourse PR#17886: waiting: nothing is sent while nothing happens',
    Cluster:
      'ioredis, redisson#3349: announcements are sharded: Redisson in a cluster hears them, other nodes are spared',
  },
  'wake-up': {
    PostgreSQL: [
      'a message comes to the client that it is for, in order, and to no other',
      '%s: it is found out and told once; there are no messages, and no statement is prepared',
    ],
    'MySQL, MariaDB':
      'a process that waits for another: it only reads, seldom, however many of its calls wait',
    SQLite: 'a holder whose process ends is noticed by those who wait for it, long before its lease ends',
    ZooKeeper:
      'S5, S6: one before it that leaves without having held wakes nobody wrongly, and a release wakes one client',
  },
  'late writes': {
    'PostgreSQL + MySQL, MariaDB': 'one that wakes up too late cannot write: its transaction is refused',
    SQLite: 'S10: grow when the lock was forced open, when its lease ended, and when it was left free',
  },
  tokens: {
    'PostgreSQL + MySQL, MariaDB': 'what was cleaned away starts above all tokens it had',
    SQLite: 'a clean-up is remembered by the next time the machine starts, so that no token can be less',
    etcd: 'S10: tokens grow from client to client, across a change of leader, and after the lock was left free',
    ZooKeeper: 'across hand-over, force, the removal of the folder, and a restart of the server',
  },
}

/** Every column of a row of `named`, with the names of its tests. */
function namedIn(row: string): Array<readonly [column: string, name: string]> {
  return Object.entries(named[row] ?? {}).flatMap(([columns, names]) =>
    columns.split(' + ').flatMap((column) => [names].flat().map((name) => [column, name] as const)),
  )
}

/** Cells that promise nothing. */
const NOTHING = ['', 'nothing is sent', 'nothing survives the process', 'none']

const cells = tablesOf(page)
const files = [
  ...(await filesIn(['src/conformance/cases'], '.cases.ts')),
  ...(await filesIn(['test'], '.test.ts')),
  ...(await filesIn(['test'], '.cases.ts')),
]
const tests = files.map((file) => ({ path: file.path, names: testNamesOf(file) }))

/** The names of all tests that run on the store of that column. */
function namesFor({ suite, own }: Shown): string[] {
  const contract = suite.startsWith('test/contract/')
  return tests
    .filter(({ path }) =>
      path.startsWith('src/')
        ? !(contract && path.endsWith(NOT_ON_REDIS))
        : path === suite || own.some((each) => path.startsWith(each)) || path.startsWith('test/replicas/'),
    )
    .flatMap(({ names }) => names)
}

function tablesOf(markdown: string) {
  const [, section = ''] = /\n## By store\n([\s\S]*?)\n## /.exec(markdown) ?? []
  const tables = section.split(/\n(?=\n)/).filter((part) => part.includes('| |'))
  return tables.flatMap((table) => {
    const lines = table.split('\n').filter((line) => line.startsWith('|'))
    const [head = [], , ...rows] = lines.map((line) => line.split(/\s*\|\s*/).slice(1, -1))
    const titles = head.slice(1).map((title) => title.replace(/\]\([^)]*\)/g, '').replace(/\[/g, ''))
    return rows.flatMap(([row = '', ...texts]) =>
      texts.map((text, index) => ({
        row,
        column: titles[index] ?? '',
        text,
        rules: row.match(/\b[A-Z]\d\b/g) ?? [],
      })),
    )
  })
}

test('the tables are found, with the stores that tests are known for', () => {
  expect(new Set(cells.map(({ column }) => column))).toEqual(new Set(Object.keys(columns)))
  expect(cells.length).toBeGreaterThan(40)
})

test('nothing is named for a row or a column that is not there', () => {
  for (const row of Object.keys(named)) {
    const columnsThere = cells.filter((cell) => isRow(cell.row, row)).map(({ column }) => column)
    for (const [column] of namedIn(row)) expect(columnsThere, row).toContain(column)
  }
})

test.each(cells.filter(({ text }) => !NOTHING.includes(text)))(
  'shown by tests: $column: $row',
  ({ row, column, rules }) => {
    const shown = columns[column]
    if (!shown) throw new Error(`no tests are known of ${column}`)
    expect(tests.map(({ path }) => path)).toContain(shown.suite)
    const names = namesFor(shown)
    const wanted = Object.keys(named)
      .filter((start) => isRow(row, start))
      .flatMap((start) => namedIn(start).flatMap(([each, name]) => (each === column ? [name] : [])))
    expect([...rules, ...wanted], 'a rule or a test').not.toEqual([])
    for (const name of wanted) expect(names).toContain(name)
    for (const rule of rules) expect(names.join('\n'), rule).toMatch(new RegExp(`\\b${rule}\\b`))
  },
)

/** Whether the row is called so, but for the numbers of its rules. */
function isRow(row: string, name: string): boolean {
  return row.replace(/ \([^)]*\)$/, '').replaceAll('`', '') === name || row.startsWith(`${name} (`)
}
