/** What `hold.confirm(tx)` is for: a holder is paused (SIGSTOP) past its lease, and nothing it writes comes too late, although nobody compares a number. */
import { randomUUID } from 'node:crypto'
import process from 'node:process'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { Forked } from '../redisson/forked.js'
import { onDatabases } from '../setup/databases.js'
import { lasting } from '../setup/lasting.js'
import { connectTo, type OwnConnection, storeAt, untilTiedAlone } from './application.js'

await onDatabases(['PostgreSQL', 'MariaDB', 'MySQL'], (database, product) => {
  let name: string
  let other: Holdfast
  let own: OwnConnection

  beforeAll(async () => {
    own = await connectTo(product, database().address)
    await own.run('CREATE TABLE written (who varchar(10) NOT NULL)')
  })
  afterAll(() => own?.end())
  beforeEach(() => {
    name = randomUUID()
    other = new Holdfast(storeAt(product, database().address))
  })
  afterEach(async () => {
    await other.close()
    await own.run('DELETE FROM written')
  })

  const paused = async (pausesWhen: 'holding' | 'tied'): Promise<Forked> => {
    const fixture = new URL('./tied.fixture.ts', import.meta.url)
    const { address } = database()
    const forked = Forked.start(fixture, { product, address, name, leaseMs: lasting(2_000), pausesWhen })
    expect(await forked.told()).toBe('ready')
    process.kill(forked.pid, 'SIGSTOP')
    return forked
  }
  const wake = (forked: Forked): void => {
    forked.send('go on')
    process.kill(forked.pid, 'SIGCONT')
  }
  const written = async () => (await own.run('SELECT who FROM written')).map(({ who }) => who)

  test('one that wakes up too late cannot write: its transaction is refused', async () => {
    const late = await paused('holding')
    // Returns when the lease of the first has ended.
    const hold = await other.lock(name).acquire()
    await own.run(`INSERT INTO written VALUES ('other')`)
    wake(late)
    expect(await late.told()).toBe('LOCK_LOST')
    await hold.release()
    expect(await late.ended()).toBe(0)
    expect(await written()).toEqual(['other'])
  })

  test('one with an open transaction keeps the lock past its lease, and writes in time', async () => {
    const late = await paused('tied')
    await untilTiedAlone(other.lock(name))
    const waiting = other.lock(name).withLock(() => written())
    expect(await other.lock(name).tryAcquire()).toBeNull()
    wake(late)
    expect(await late.told()).toBe('committed')
    expect(await waiting).toEqual(['paused'])
    expect(await late.ended()).toBe(0)
  })

  test('one that ends meanwhile loses it with its connection', async () => {
    const late = await paused('tied')
    await untilTiedAlone(other.lock(name))
    const waiting = other.lock(name).withLock(() => written())
    await late.kill()
    expect(await waiting).toEqual([])
  })
})
