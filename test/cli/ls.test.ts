import { describe, expect, it } from 'vitest'
import { untilWaiting } from '../../src/conformance/idle.js'
import { labelOf } from '../../src/index.js'
import { tidiedPlace } from '../setup/places.js'
import { canMakeTerminals, useProgram } from './program.js'

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
    const leave = new AbortController()
    const waits = ['a', 'a', 'c'].map((end) => {
      const lock = place.holdfast().lock(`${prefix}:${end}`)
      return lock.acquire({ signal: leave.signal }).catch(() => undefined)
    })
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
    leave.abort()
    await Promise.all(waits)
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
