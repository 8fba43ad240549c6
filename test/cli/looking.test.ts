import { describe, expect, it } from 'vitest'
import { untilWaiting } from '../../src/conformance/idle.js'
import { labelOf } from '../../src/index.js'
import { later } from '../setup/later.js'
import { tidiedPlace } from '../setup/places.js'
import { canMakeTerminals, shownAs, useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

describe('holdfast ls', () => {
  it('lists what is held, by name, with owner, holds and time left', async () => {
    const prefix = place.lockName()
    const holdfast = place.holdfast()
    const owner = holdfast.owner()
    for (const _ of ['once', 'twice']) await holdfast.lock(`${prefix}:b`).acquire({ owner })
    const other = await holdfast.lock(`${prefix}:a`).acquire({ leaseMs: 3_600_000 })
    const { code, stdout, stderr } = await program.run(['ls', `${prefix}:*`])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.trimEnd().split('\n')).toEqual(
      [
        'NAME +KIND +OWNER +HOLDS +HELD FOR +LEASE LEFT +WAITING',
        `${prefix}:a +lock +${labelOf(other.owner)} +1 +\\d.* m?s +(1 h|59 min.*) +-`,
        `${prefix}:b +lock +${labelOf(owner)} +2 +\\d.* m?s +2\\d\\.\\d s +-`,
      ].map((line) => expect.stringMatching(new RegExp(`^${line}$`))),
    )
  })

  it('--json writes one line for each lock', async () => {
    const prefix = place.lockName()
    const { owner } = await place.holdfast().lock(`${prefix}:a`).acquire()
    const stranger = 'c8d6ae0c-5b7f-4b3d-9f0e-3f9f3b6c2a11:57'
    await place.client().call('HSET', `${prefix}:b`, stranger, '3')
    const listed = await program.json(['ls', `${prefix}:*`])
    await place.client().call('DEL', `${prefix}:b`)
    const heldSince = expect.stringMatching(/^2.*Z$/)
    const held = { kind: 'lock', locked: true, waitingClients: 0 }
    expect(listed).toHaveLength(2)
    expect(listed).toContainEqual({
      ...{ ...held, name: `${prefix}:a`, remainingMs: expect.any(Number) },
      owners: [{ owner, label: labelOf(owner), holds: 1, heldSince }],
    })
    // As a Redisson client without a lease would leave it: no end.
    expect(listed).toContainEqual({
      ...{ ...held, name: `${prefix}:b`, remainingMs: null },
      owners: [{ owner: stranger, holds: 3 }],
    })
  })

  it('W9: a lock that a process keeps with nobody inside is not held, for inspect neither', async () => {
    const prefix = place.lockName()
    const holdfast = place.holdfast({ lingerMs: 600_000 })
    for (const end of ['inside', 'kept', 'looked at']) {
      const lock = holdfast.lock(`${prefix}:${end}`)
      await place.eventually(async () => {
        await lock.withLock(() => undefined)
        return (await lock.inspect()).lingering
      })
    }
    const hold = await holdfast.lock(`${prefix}:inside`).acquire()
    // Each waits 25 ms for their process: on a busy machine one more look is right.
    await place.eventually(
      async () => (await program.json(['ls', `${prefix}:[ik]*`])).map(({ name }) => name).join(),
      (names) => names === `${prefix}:inside`,
    )
    await place.eventually(
      async () => (await program.json(['inspect', `${prefix}:looked at`]))[0]?.['locked'],
      (locked) => locked === false,
    )
    await place.eventually(() => holdfast.census.tenures === 1)
    await hold.release()
  })

  it('sorts by who waits, by age or by name, as a table and as JSON', async () => {
    const prefix = place.lockName()
    const holdfast = place.holdfast()
    for (const end of ['b', 'c', 'a']) {
      await holdfast.lock(`${prefix}:${end}`).acquire()
      // Their ages differ by more than the millisecond in which they are told.
      await place.pass(2)
    }
    for (const end of ['a', 'a', 'c']) later(place.holdfast().lock(`${prefix}:${end}`).acquire())
    await untilWaiting(place, holdfast.lock(`${prefix}:a`), 2)
    await untilWaiting(place, holdfast.lock(`${prefix}:c`), 1)
    const table = async (...args: string[]): Promise<string[]> => {
      const { stdout } = await program.run(['ls', `${prefix}:*`, ...args])
      const [, ...rows] = stdout.trimEnd().split('\n')
      return rows.map((row) => row.replace(`${prefix}:`, '').replace(/ .* /, ' '))
    }
    expect(await table()).toEqual(['a 2', 'b -', 'c 1'])
    expect(await table('--sort', 'waiting')).toEqual(['a 2', 'c 1', 'b -'])
    expect(await table('--sort', 'age')).toEqual(['b -', 'c 1', 'a 2'])
    expect(await program.json(['ls', `${prefix}:*`, '--sort', 'waiting'])).toMatchObject([
      { name: `${prefix}:a`, waitingClients: 2 },
      { name: `${prefix}:c`, waitingClients: 1 },
      { name: `${prefix}:b`, waitingClients: 0 },
    ])
    const refused = { code: 64, stderr: expect.stringContaining('waiting, age, name') }
    expect(await program.run(['ls', '--sort', 'beauty'])).toMatchObject(refused)
  })

  it.skipIf(!canMakeTerminals)('colours what is waited for, and nothing with NO_COLOR', async () => {
    const prefix = place.lockName()
    const holdfast = place.holdfast()
    await holdfast.lock(`${prefix}:taken`).acquire()
    await holdfast.readWriteLock(`${prefix}:shared`).readLock().acquire()
    const listed = async (NO_COLOR?: string): Promise<string> => {
      const env = { TERM: 'xterm', NO_COLOR }
      return (await program.startOnTerminal(['ls', `${prefix}:*`], { env }).outcome).stdout
    }
    const coloured = await listed()
    expect(coloured).toMatch(new RegExp(`^${prefix}:taken.*\u001b\\[33m1`, 'm'))
    expect(coloured).toMatch(new RegExp(`^${prefix}:shared.*\u001b\\[32m1`, 'm'))
    expect(await listed('1')).not.toContain('\u001b[3')
  })

  it('lists the others if a key beside a lock holds something else, and says so', async () => {
    const prefix = place.lockName()
    for (const end of ['a', 'b', 'c']) await place.holdfast().lock(`${prefix}:${end}`).acquire()
    const odd = [`redisson_lock_token:{${prefix}:b}`, `holdfast_line:{${prefix}:c}`]
    for (const key of odd) await place.client().call('HSET', key, 'field', 'value')
    const { code, stdout, stderr } = await program.run(['ls', `${prefix}:*`])
    for (const key of odd) await place.client().call('DEL', key)
    expect(code).toBe(0)
    expect(stdout.match(/^.*:[abc]\b/gm)).toEqual([`${prefix}:a`])
    expect(stderr).toContain('left out 2 locks')
  })

  it('takes the pattern as a glob, and shows no hash that is no lock', async () => {
    const prefix = place.lockName()
    const holdfast = place.holdfast()
    for (const end of ['a1', 'a2', 'b1', 'a*']) await holdfast.lock(`${prefix}:${end}`).acquire()
    await place.client().call('HSET', `${prefix}:a3`, 'field', 'value')
    for (const [pattern, ...ends] of [
      ['a?', 'a*', 'a1', 'a2'],
      ['[ab]1', 'a1', 'b1'],
      ['a\\*', 'a*'],
    ]) {
      const names = (await program.json(['ls', `${prefix}:${pattern}`])).map(({ name }) => name)
      expect(names.sort()).toEqual(ends.map((end) => `${prefix}:${end}`))
    }
    await place.client().call('DEL', `${prefix}:a3`)
  })

  it('nothing held is no error, and no line', async () => {
    const pattern = `${place.lockName()}:*`
    const nothing = { code: 0, stdout: '', stderr: expect.stringContaining(pattern) }
    expect(await program.run(['ls', pattern])).toEqual(nothing)
    expect(await program.run(['ls', pattern, '--json'])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('--key-prefix is taken for granted: names are shown without it', async () => {
    const name = place.lockName()
    await place.holdfast().lock(`pre[1]:${name}`).acquire()
    expect(await program.json(['ls', name, '--key-prefix', 'pre[1]:'])).toMatchObject([{ name }])
  })
})

describe('holdfast inspect', () => {
  it('shows who holds the lock, how often, for how long yet, and how many clients wait', async () => {
    const name = place.lockName()
    const holdfast = place.holdfast()
    const owner = holdfast.owner()
    const lock = holdfast.lock(name)
    for (const _ of ['once', 'twice']) await lock.acquire({ owner, leaseMs: 120_000 })
    for (const each of [place.holdfast(), place.holdfast()]) later(each.lock(name).acquire())
    await untilWaiting(place, lock, 2)
    const text = await program.run(['inspect', name])
    const json = await program.json(['inspect', name])
    expect(text).toMatchObject({ code: 0, stderr: '' })
    for (const line of [
      `Lock +${name}`,
      'State +held',
      `Owner +${shownAs(owner, '2 holds, since \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z')}`,
      'Lease +(1 min \\d+ s|2 min) left',
      'Waiting +2 clients',
    ])
      expect(text.stdout).toMatch(new RegExp(`^${line}$`, 'm'))
    const label = labelOf(owner)
    const waiter = { owner: expect.any(String), label, waitsSince: expect.any(String) }
    expect(json).toEqual([
      {
        ...{ name, kind: 'lock', locked: true, remainingMs: expect.any(Number), waitingClients: 2 },
        owners: [{ owner, label, holds: 2, heldSince: expect.any(String) }],
        line: [waiter, waiter],
      },
    ])
  })

  it('shows a label that another program has written without doing what it says', async () => {
    const name = place.lockName()
    const label = '\u001b[2J\u202eweb\nLock  free'
    await place.client().call('HSET', name, `12368c27~${encodeURIComponent(label)}:1`, '1')
    for (const [command = '', ...flags] of [['inspect'], ['ls'], ['watch', '--count', '1']]) {
      const { code, stdout } = await program.run([command, name, ...flags])
      expect(code).toBe(0)
      expect(stdout).toContain('\\u{1b}[2J\\u{202e}web\\u{a}Lock  free')
      expect(stdout).not.toMatch(/[^\P{Cc}\n]|\u202e|^Lock +free/mu)
    }
    await place.client().call('DEL', name)
  })

  it('a free lock is no error', async () => {
    const name = place.lockName()
    const free = { code: 0, stdout: expect.stringMatching(/^State +free$/m) }
    expect(await program.run(['inspect', name])).toMatchObject(free)
    expect(await program.json(['inspect', name])).toEqual([
      { name, kind: null, locked: false, owners: [], remainingMs: 0, waitingClients: 0 },
    ])
  })

  it('takes a name that looks like an option after --', async () => {
    await using _ = await place.holdfast().lock('--name').acquire()
    expect((await program.run(['inspect', '--', '--name'])).stdout).toMatch(/^Lock +--name$/m)
  })

  it('65: the key holds something that is no lock', async () => {
    const name = place.lockName()
    await place.client().call('SET', name, 'text')
    const { code, stdout, stderr } = await program.run(['inspect', name])
    await place.client().call('DEL', name)
    expect({ code, stdout }).toEqual({ code: 65, stdout: '' })
    expect(stderr).toContain(name)
    expect(stderr).toContain('other than a lock')
  })
})
