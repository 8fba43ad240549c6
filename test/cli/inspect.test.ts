import { describe, expect, it } from 'vitest'
import { untilWaiting } from '../../src/conformance/idle.js'
import { labelOf } from '../../src/index.js'
import { tidiedPlace } from '../setup/places.js'
import { shownAs, useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

describe('holdfast inspect', () => {
  it('shows who holds the lock, how often, for how long yet, and how many clients wait', async () => {
    const name = place.lockName()
    const holdfast = place.holdfast()
    const owner = holdfast.owner()
    const lock = holdfast.lock(name)
    for (const _ of ['once', 'twice']) await lock.acquire({ owner, leaseMs: 120_000 })
    const leave = new AbortController()
    const waits = [place.holdfast(), place.holdfast()].map((each) =>
      each
        .lock(name)
        .acquire({ signal: leave.signal })
        .catch(() => undefined),
    )
    await untilWaiting(place, lock, 2)
    const text = await program.run(['inspect', name])
    const json = await program.json(['inspect', name])
    leave.abort()
    await Promise.all(waits)
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
