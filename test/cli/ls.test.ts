import { describe, expect, it } from 'vitest'
import { labelOf } from '../../src/index.js'
import { tidiedPlace } from '../setup/places.js'
import { jsonLines } from './json.js'
import { canMakeTerminals, useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

describe('holdfast ls', () => {
  it('lists what is held, by name, with owner, holds and time left', async () => {
    const prefix = place.lockName()
    const holdfast = place.holdfast()
    const owner = holdfast.owner()
    await holdfast.lock(`${prefix}:b`).acquire({ owner })
    await holdfast.lock(`${prefix}:b`).acquire({ owner })
    const other = await holdfast.lock(`${prefix}:a`).acquire({ leaseMs: 3_600_000 })
    const { code, stdout, stderr } = await program.run(['ls', `${prefix}:*`])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [head, first, second, ...rest] = stdout.trimEnd().split('\n')
    expect(head).toMatch(/^NAME +KIND +OWNER +HOLDS +HELD FOR +LEASE LEFT +WAITING$/)
    expect(first).toMatch(
      new RegExp(`^${prefix}:a +lock +${labelOf(other.owner)} +1 +\\d.* m?s +(1 h|59 min.*) +-$`),
    )
    expect(second).toMatch(
      new RegExp(`^${prefix}:b +lock +${labelOf(owner)} +2 +\\d.* m?s +2\\d\\.\\d s +-$`),
    )
    expect(rest).toEqual([])
  })

  it('--json writes one line for each lock', async () => {
    const prefix = place.lockName()
    const hold = await place.holdfast().lock(`${prefix}:a`).acquire()
    await place.client().call('HSET', `${prefix}:b`, 'c8d6ae0c-5b7f-4b3d-9f0e-3f9f3b6c2a11:57', '3')
    const { code, stdout } = await program.run(['ls', '--json', `${prefix}:*`])
    await place.client().call('DEL', `${prefix}:b`)
    expect(code).toBe(0)
    const [a, b] = jsonLines(stdout).sort((one, other) =>
      String(one['name']) < String(other['name']) ? -1 : 1,
    )
    expect(a).toEqual({
      name: `${prefix}:a`,
      kind: 'lock',
      locked: true,
      owners: [
        {
          owner: hold.owner,
          label: labelOf(hold.owner),
          holds: 1,
          heldSince: expect.stringMatching(/^2.*Z$/),
        },
      ],
      remainingMs: expect.any(Number),
      waitingClients: 0,
    })
    // As a Redisson client without a lease would leave it: no end.
    expect(b).toEqual({
      name: `${prefix}:b`,
      kind: 'lock',
      locked: true,
      owners: [{ owner: 'c8d6ae0c-5b7f-4b3d-9f0e-3f9f3b6c2a11:57', holds: 3 }],
      remainingMs: null,
      waitingClients: 0,
    })
  })

  it('W9: a lock that a process keeps with nobody inside is not held, for inspect neither', async () => {
    const prefix = place.lockName()
    const holdfast = place.holdfast({ lingerMs: 600_000 })
    const keeps = async (end: string): Promise<void> => {
      const lock = holdfast.lock(`${prefix}:${end}`)
      await place.eventually(async () => {
        await lock.withLock(() => undefined)
        return (await lock.inspect()).lingering
      })
    }
    for (const end of ['inside', 'kept', 'looked at']) await keeps(end)
    const hold = await holdfast.lock(`${prefix}:inside`).acquire()
    // Each waits 25 ms for their process: on a busy machine one more look is right.
    const list = async (): Promise<string> => {
      const { stdout } = await program.run(['ls', '--json', `${prefix}:[ik]*`])
      return jsonLines(stdout)
        .map(({ name }) => String(name))
        .join()
    }
    await place.eventually(list, (names) => names === `${prefix}:inside`)
    const look = async (): Promise<unknown> => {
      const { stdout } = await program.run(['inspect', '--json', `${prefix}:looked at`])
      return jsonLines(stdout)[0]?.['locked']
    }
    await place.eventually(look, (locked) => locked === false)
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
    await place.eventually(
      async () => [
        await holdfast.lock(`${prefix}:a`).countWaitingClients(),
        await holdfast.lock(`${prefix}:c`).countWaitingClients(),
      ],
      ([a, c]) => a === 2 && c === 1,
    )
    const sorted = async (...args: string[]): Promise<string[]> => {
      const { stdout } = await program.run(['ls', `${prefix}:*`, ...args])
      const rows = args.includes('--json')
        ? jsonLines(stdout).map(({ name, waitingClients }) => `${name} ${waitingClients}`)
        : stdout
            .trimEnd()
            .split('\n')
            .slice(1)
            .map((line) => line.replace(/ .* /, ' '))
      return rows.map((row) => row.slice(prefix.length + 1))
    }
    expect(await sorted()).toEqual(['a 2', 'b -', 'c 1'])
    expect(await sorted('--sort', 'waiting')).toEqual(['a 2', 'c 1', 'b -'])
    expect(await sorted('--sort', 'age')).toEqual(['b -', 'c 1', 'a 2'])
    expect(await sorted('--sort', 'waiting', '--json')).toEqual(['a 2', 'c 1', 'b 0'])
    const { code, stderr } = await program.run(['ls', '--sort', 'beauty'])
    expect(code).toBe(64)
    expect(stderr).toContain('waiting, age, name')
    leave.abort()
    await Promise.all(waits)
  })

  it.skipIf(!canMakeTerminals)('colours what is waited for, and nothing with NO_COLOR', async () => {
    const prefix = place.lockName()
    const holdfast = place.holdfast()
    await holdfast.lock(`${prefix}:taken`).acquire()
    await holdfast.readWriteLock(`${prefix}:shared`).readLock().acquire()
    const env = { TERM: 'xterm', NO_COLOR: undefined }
    const coloured = await program.startOnTerminal(['ls', `${prefix}:*`], { env }).outcome
    const lineOf = (name: string): string =>
      coloured.stdout.split('\n').find((line) => line.startsWith(`${prefix}:${name}`)) ?? ''
    expect(lineOf('taken')).toContain('\u001b[33m1')
    expect(lineOf('shared')).toContain('\u001b[32m1')
    const plain = await program.startOnTerminal(['ls', `${prefix}:*`], { env: { ...env, NO_COLOR: '1' } })
      .outcome
    expect(plain.stdout).not.toContain('\u001b[3')
  })

  it('lists the others if a key beside a lock holds something else, and says so', async () => {
    const prefix = place.lockName()
    const holdfast = place.holdfast()
    await holdfast.lock(`${prefix}:a`).acquire()
    await holdfast.lock(`${prefix}:b`).acquire()
    const counter = `redisson_lock_token:{${prefix}:b}`
    await place.client().call('HSET', counter, 'field', 'value')
    const { code, stdout, stderr } = await program.run(['ls', '--json', `${prefix}:*`])
    await place.client().call('DEL', counter)
    expect(code).toBe(0)
    expect(jsonLines(stdout).map(({ name }) => name)).toEqual([`${prefix}:a`])
    expect(stderr).toContain('left out 1 lock')
  })

  it('takes the pattern as a glob, and shows no hash that is no lock', async () => {
    const prefix = place.lockName()
    const holdfast = place.holdfast()
    for (const end of ['a1', 'a2', 'b1', 'a*']) await holdfast.lock(`${prefix}:${end}`).acquire()
    await place.client().call('HSET', `${prefix}:a3`, 'field', 'value')
    const names = async (pattern: string): Promise<unknown[]> =>
      jsonLines((await program.run(['ls', '--json', `${prefix}:${pattern}`])).stdout)
        .map((lock) => lock['name'])
        .sort()
    expect(await names('a?')).toEqual([`${prefix}:a*`, `${prefix}:a1`, `${prefix}:a2`])
    expect(await names('[ab]1')).toEqual([`${prefix}:a1`, `${prefix}:b1`])
    expect(await names('a\\*')).toEqual([`${prefix}:a*`])
    await place.client().call('DEL', `${prefix}:a3`)
  })

  it('nothing held is no error, and no line', async () => {
    const pattern = `${place.lockName()}:*`
    const text = await program.run(['ls', pattern])
    expect({ code: text.code, stdout: text.stdout }).toEqual({ code: 0, stdout: '' })
    expect(text.stderr).toContain(pattern)
    expect(await program.run(['ls', pattern, '--json'])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('--key-prefix is taken for granted: names are shown without it', async () => {
    const name = place.lockName()
    await place.holdfast().lock(`pre[1]:${name}`).acquire()
    const { stdout } = await program.run(['ls', name, '--json', '--key-prefix', 'pre[1]:'])
    expect(jsonLines(stdout)).toMatchObject([{ name }])
  })

  it('shows a name as text that cannot play with the terminal', async () => {
    const name = `${place.lockName()}\u001b[2J\n\u202e`
    await place.holdfast().lock(name).acquire()
    const { stdout } = await program.run(['ls', `${place.lockName().split(':')[0]}:*`])
    expect(stdout).not.toContain('\u001b')
    expect(stdout).not.toContain('\u202e')
    expect(stdout).toContain('\\u{1b}[2J\\u{a}\\u{202e}')
  })
})
