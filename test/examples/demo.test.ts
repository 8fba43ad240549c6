/** The demo that `npm start` runs, in a short version. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, inject, test } from 'vitest'
import { eventually } from '../setup/eventually.js'
import { Program } from './program.js'

const MAIN = 'examples/demo/main.ts'
const env = { HOLDFAST_REDIS_URL: inject('servers').standalone.url, NO_COLOR: '1' }

describe('demo', { timeout: 120_000 }, () => {
  test('nothing is violated, though a holder is killed inside', async () => {
    const { code, stdout, stderr } = await new Program(MAIN, ['--seconds', '2'], env).ended
    const row = rowsOf(stdout)
    expect(stderr).toBe('')
    expect(stdout).toContain('named by HOLDFAST_REDIS_URL')
    expect(row('worker processes')).toEqual(['4, one of them killed inside', ''])
    expect(row('critical sections done')).toEqual([expect.stringMatching(/^[1-9]\d*$/), 'ok'])
    expect(row('nested depth reached')).toEqual(['3 sections, 2 holds of one lock', 'ok'])
    expect(row('lost updates')).toEqual([expect.stringMatching(/^0 of [1-9]/), 'ok'])
    expect(row("killed holder's lock moved on after")).toEqual([
      expect.stringMatching(/^\d+\.\d s \(its lease: 2\.0 s\)$/),
      'ok',
    ])
    expect(row('others inside while it held the lock')).toEqual(['none', 'ok'])
    expect(row('unlock by a non-owner')).toEqual(['refused, holder has 2 holds', 'ok'])
    expect(Number(row('commands per section (commandstats)')?.[0])).toBeGreaterThanOrEqual(2)
    expect(row('for comparison: lost without the lock')?.[0]).toMatch(/^[1-9]\d* of /)
    expect(stdout).toMatch(/nothing was violated\n$/)
    expect(code).toBe(0)
  })

  test.each(['sqlite', 'postgres', 'mysql', 'etcd', 'zookeeper', 'memcached'])(
    'nor with --store %s',
    async (store) => {
      const args = ['--store', store, '--seconds', '2']
      const { code, stdout, stderr } = await new Program(MAIN, args, env).ended
      const row = rowsOf(stdout)
      expect(stderr).toBe('')
      expect(row('critical sections done')).toEqual([expect.stringMatching(/^[1-9]\d*$/), 'ok'])
      expect(row("killed holder's lock moved on after")?.[1]).toBe('ok')
      const kept = ['etcd', 'zookeeper', 'memcached'].includes(store)
        ? 'the holder still has it'
        : 'holder has 2 holds'
      expect(row('unlock by a non-owner')).toEqual([`refused, ${kept}`, 'ok'])
      expect(stdout).toMatch(/nothing was violated\n$/)
      expect(code).toBe(0)
    },
  )

  test('without the lock the same work loses updates, and the exit code says so', async () => {
    const { code, stdout } = await new Program(MAIN, ['--without-lock', '--seconds', '1'], env).ended
    expect(rowsOf(stdout)('lost updates')).toEqual([expect.stringMatching(/^[1-9]\d* of /), 'VIOLATED'])
    expect(stdout).toMatch(/violated: lost updates\n$/)
    expect(code).toBe(1)
  })

  test('Ctrl-C ends it in order, with its workers and the server it brought', async () => {
    const demo = new Program(MAIN, ['--seconds', '600'], { ...env, HOLDFAST_REDIS_URL: '' })
    const progress = /server: .* on 127\.0\.0\.1:(\d+) .*without the lock {2}\d/s
    const [, port] = await eventually(
      () => progress.exec(demo.stdout) ?? [],
      (found) => found.length > 0,
      100_000,
    )
    expect(await answers(Number(port))).toBe(true)
    demo.signal('SIGINT')
    // Its workers write to the same pipe: it closes when they have ended too.
    const { code } = await demo.ended
    expect(code).toBe(130)
    expect(await answers(Number(port))).toBe(false)
  })

  test('bad options are explained', async () => {
    const { code, stderr } = await new Program(MAIN, ['--seconds', 'soon'], env).ended
    expect(stderr).toContain("--seconds is 'soon'")
    expect(code).toBe(64)
  })
})

/** Whether anybody listens on that port. */
async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** The cells of the closing table, by the first of each line. */
function rowsOf(stdout: string): (what: string) => string[] | undefined {
  const rows = stdout
    .split('\n')
    .filter((line) => line.startsWith('│'))
    .map((line) =>
      line
        .split('│')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  return (what) => rows.find(([first]) => first === what)?.slice(1)
}
