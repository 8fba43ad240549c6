import { describe, expect, it } from 'vitest'
import { labelOf } from '../../src/index.js'
import { tidiedPlace } from '../setup/places.js'
import { jsonLines } from './json.js'
import { useProgram } from './program.js'
import { shownAs } from './shown-as.js'

const program = useProgram()
const place = tidiedPlace('standalone')

describe('holdfast inspect', () => {
  it('shows who holds the lock, how often, for how long yet, and how many clients wait', async () => {
    const name = place.lockName()
    const holdfast = place.holdfast()
    const owner = holdfast.owner()
    await holdfast.lock(name).acquire({ owner, leaseMs: 120_000 })
    await holdfast.lock(name).acquire({ owner, leaseMs: 120_000 })
    const leave = new AbortController()
    const waits = [1, 2].map(() =>
      place
        .holdfast()
        .lock(name)
        .acquire({ signal: leave.signal })
        .catch(() => undefined),
    )
    await place.eventually(
      () => holdfast.lock(name).countWaitingClients(),
      (count) => count === 2,
    )
    const label = labelOf(owner)
    const text = await program.run(['inspect', name])
    const json = await program.run(['inspect', name, '--json'])
    leave.abort()
    await Promise.all(waits)
    expect(text).toMatchObject({ code: 0, stderr: '' })
    expect(text.stdout).toMatch(new RegExp(`^Lock +${name}$`, 'm'))
    expect(text.stdout).toMatch(/^State +held$/m)
    expect(text.stdout).toMatch(
      new RegExp(`^Owner +${shownAs(owner, '2 holds, since \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z')}$`, 'm'),
    )
    expect(text.stdout).toMatch(/^Lease +(1 min \d+ s|2 min) left$/m)
    expect(text.stdout).toMatch(/^Waiting +2 clients$/m)
    expect(jsonLines(json.stdout)).toEqual([
      {
        name,
        kind: 'lock',
        locked: true,
        owners: [{ owner, label, holds: 2, heldSince: expect.any(String) }],
        remainingMs: expect.any(Number),
        line: [
          { owner: expect.any(String), label, waitsSince: expect.any(String) },
          { owner: expect.any(String), label, waitsSince: expect.any(String) },
        ],
        waitingClients: 2,
      },
    ])
  })

  it('shows a label that another program has written without doing what it says', async () => {
    const name = place.lockName()
    const label = '\u001b[2J\u202eweb\nLock  free'
    await place.client().call('HSET', name, `12368c27~${encodeURIComponent(label)}:1`, '1')
    for (const args of [
      ['inspect', name],
      ['ls', name],
      ['watch', name, '--count', '1'],
    ]) {
      const { code, stdout } = await program.run(args)
      expect(code).toBe(0)
      expect(stdout).toContain('\\u{1b}[2J\\u{202e}web\\u{a}Lock  free')
      expect(stdout).not.toMatch(/[^\P{Cc}\n]|\u202e|^Lock +free/mu)
    }
    await place.client().call('DEL', name)
  })

  it('a free lock is no error', async () => {
    const name = place.lockName()
    const { code, stdout } = await program.run(['inspect', name])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^State +free$/m)
    expect(jsonLines((await program.run(['inspect', '--json', name])).stdout)).toEqual([
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
