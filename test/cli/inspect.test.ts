import { afterEach, describe, expect, it } from 'vitest'
import { placeOf } from '../setup/places.js'
import { jsonLines } from './json.js'
import { useProgram } from './program.js'

const program = useProgram()
const place = placeOf('standalone')
afterEach(() => place.tidy())

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
    const text = await program.run(['inspect', name])
    const json = await program.run(['inspect', name, '--json'])
    leave.abort()
    await Promise.all(waits)
    expect(text).toMatchObject({ code: 0, stderr: '' })
    expect(text.stdout).toMatch(new RegExp(`^Lock +${name}$`, 'm'))
    expect(text.stdout).toMatch(/^State +held$/m)
    expect(text.stdout).toMatch(new RegExp(`^Owner +${owner} \\(2 holds\\)$`, 'm'))
    expect(text.stdout).toMatch(/^Lease +(1 min \d+ s|2 min) left$/m)
    expect(text.stdout).toMatch(/^Waiting +2 clients$/m)
    expect(jsonLines(json.stdout)).toEqual([
      {
        name,
        kind: 'lock',
        locked: true,
        owners: [{ owner, holds: 2 }],
        remainingMs: expect.any(Number),
        line: [{ owner: expect.any(String) }, { owner: expect.any(String) }],
        waitingClients: 2,
      },
    ])
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
