/** The command line on coordination servers, and on the locks that database servers keep by themselves: as far as each of them can. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EtcdServer } from '../servers/etcd/index.js'
import { MemcachedServer } from '../servers/memcached.js'
import { ZooKeeperServer } from '../servers/zookeeper/index.js'
import { bringDatabase } from '../setup/databases.js'
import { useProgram } from './program.js'

interface Where {
  readonly url: string
  stop(): Promise<void>
}

const onEtcd = async (): Promise<Where> => {
  const server = await EtcdServer.start()
  return { url: `etcd://${server.host}:${server.port}`, stop: () => server.stop() }
}

const onZooKeeper = async (): Promise<Where> => {
  const server = await ZooKeeperServer.start()
  return { url: `zk://${server.address}/locks/cli`, stop: () => server.stop() }
}

/** Two servers, one of which keeps the lock. */
const onMemcached = async (): Promise<Where> => {
  const servers = [await MemcachedServer.start(), await MemcachedServer.start()]
  return {
    url: `memcached://${servers.map(({ address }) => address).join()}`,
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}

const inDatabase = (product: 'PostgreSQL' | 'MySQL', scheme: string) => async (): Promise<Where> => {
  const database = await bringDatabase(product)
  const { user, password, host, port, database: name } = database.address
  return {
    url: `${scheme}://${user}:${encodeURIComponent(password)}@${host}:${port}/${name}`,
    stop: () => database.drop(),
  }
}

describe.each([
  ['etcd', onEtcd, { lists: true, fair: true }],
  ['ZooKeeper', onZooKeeper, { lists: true, fair: true }],
  ['memcached', onMemcached, { lists: false, fair: false }],
  [
    'PostgreSQL, its advisory locks',
    inDatabase('PostgreSQL', 'postgres+advisory'),
    { lists: false, fair: false },
  ],
  ['MySQL, its GET_LOCK', inDatabase('MySQL', 'mysql+get-lock'), { lists: false, fair: false }],
] as const)('holdfast in %s', { timeout: 60_000 }, (_, bring, { lists, fair }) => {
  const program = useProgram()
  let where: Where
  beforeAll(async () => {
    where = await bring()
  })
  afterAll(() => where?.stop())
  const run = (...args: string[]) => program.run(['--url', where.url, ...args])

  test('users 9: run, inspect, watch, unlock: a held lock is seen, kept from others, and freed by force', async () => {
    const running = program.start(['--url', where.url, 'run', 'nightly', '-v', '--', 'sleep', '600'])
    await running.says('got lock')
    expect((await run('run', '-n', 'nightly', '--', 'true')).code).toBe(75)
    expect((await run('inspect', 'nightly')).stdout).toContain('held')
    const watched = await run('watch', 'nightly', '--json', '--count', '1')
    expect(JSON.parse(watched.stdout)).toMatchObject({ name: 'nightly', kind: 'lock', locked: true })
    expect((await run('unlock', '--force', '--yes', 'nightly')).stdout).toContain('is free')
    expect((await run('run', '-n', 'nightly', '--', 'true')).code).toBe(0)
    running.child.kill('SIGTERM')
    await running.outcome
  })

  test('one that waits gets the lock when the command before it has ended', async () => {
    const first = program.start(['--url', where.url, 'run', 'queue', '-v', '--', 'cat'])
    await first.says('got lock')
    const second = program.start(['--url', where.url, 'run', 'queue', '-v', '--', 'echo', 'mine'])
    await second.says('waiting for')
    first.child.stdin?.end()
    expect((await first.outcome).code).toBe(0)
    expect(await second.outcome).toMatchObject({ code: 0, stdout: 'mine\n' })
  })

  test('what the store cannot do is refused with 64, and said', async () => {
    const listed = await run('ls')
    expect(listed.code).toBe(lists ? 0 : 64)
    if (!lists) expect(listed.stderr).toContain('cannot list')
    const inLine = await run('run', '--fair', 'x', '--', 'true')
    expect(inLine.code).toBe(fair ? 0 : 64)
    if (!fair) expect(inLine.stderr).toContain('keeps no')
    expect((await run('--key-prefix', 'p:', 'inspect', 'x')).code).toBe(64)
  })
})

describe('69 and 77, in one line and without secrets', () => {
  const program = useProgram()

  test.each(['etcd', 'zk', 'memcached'])('%s cannot be reached', async (scheme) => {
    const { code, stdout, stderr } = await program.run(['inspect', 'x'], {
      url: `${scheme}://u:s3cret@127.0.0.1:1`,
    })
    expect({ code, stdout }).toEqual({ code: 69, stdout: '' })
    expect(stderr).toContain(`${scheme}://127.0.0.1:1`)
    expect(stderr).not.toContain('s3cret')
    const lines = stderr.trimEnd().split('\n')
    // Where the failure takes its time, the first sign comes before it.
    expect(lines.filter((line) => !line.includes('the server has not answered yet'))).toHaveLength(1)
  })

  test('memcached refuses the password', async () => {
    const server = await MemcachedServer.start({ users: ['app:tr0mbone'] })
    try {
      const at = (login: string) => ({ url: `memcached://${login}${server.address}` })
      expect((await program.run(['run', 'x', '--', 'true'], at('app:tr0mbone@'))).code).toBe(0)
      for (const login of ['', 'app:s3cret@']) {
        const { code, stderr } = await program.run(['run', 'x', '--', 'true'], at(login))
        expect(code).toBe(77)
        expect(stderr).not.toMatch(/s3cret|tr0mbone/)
      }
    } finally {
      await server.stop()
    }
  })
})
