/** The demo that `npm start` runs, in a short version. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, inject, test } from 'vitest'
import { eventually } from '../setup/eventually.js'
import { Program } from './program.js'

const MAIN = 'examples/demo/main.ts'
const env = { HOLDFAST_REDIS_URL: inject('servers').standalone.url, NO_COLOR: '1' }

/** A short run, in which nothing goes wrong; returns the cells of its closing table. */
async function unviolated(...args: string[]) {
  const { code, stdout, stderr } = await new Program(MAIN, [...args, '--seconds', '2'], env).ended
  expect(stderr).toBe('')
  expect(stdout).toMatch(/nothing was violated\n$/)
  expect(code).toBe(0)
  const row = rowsOf(stdout)
  expect(row('critical sections done')).toEqual([expect.stringMatching(/^[1-9]\d*$/), 'ok'])
  expect(row("killed holder's lock moved on after")?.[1]).toBe('ok')
  return { stdout, row }
}

describe('demo', { timeout: 120_000 }, () => {
  test('nothing is violated, though a holder is killed inside', async () => {
    const { stdout, row } = await unviolated()
    expect(stdout).toContain('named by HOLDFAST_REDIS_URL')
    const movedOn = expect.stringMatching(/^\d+\.\d s \(its lease: 2\.0 s\)$/)
    for (const [what, ...cells] of [
      ['worker processes', '4, one of them killed inside', ''],
      ['nested depth reached', '3 sections, 2 holds of one lock', 'ok'],
      ['lost updates', expect.stringMatching(/^0 of [1-9]/), 'ok'],
      ["killed holder's lock moved on after", movedOn, 'ok'],
      ['others inside while it held the lock', 'none', 'ok'],
      ['unlock by a non-owner', 'refused, holder has 2 holds', 'ok'],
    ])
      expect(row(what)).toEqual(cells)
    expect(Number(row('commands per section (commandstats)')?.[0])).toBeGreaterThanOrEqual(2)
    expect(row('for comparison: lost without the lock')?.[0]).toMatch(/^[1-9]\d* of /)
  })

  test.each([
    ['sqlite', 'holder has 2 holds'],
    ['postgres', 'holder has 2 holds'],
    ['mysql', 'holder has 2 holds'],
    ['etcd', 'the holder still has it'],
    ['zookeeper', 'the holder still has it'],
    ['memcached', 'the holder still has it'],
  ])('nor with --store %s: %s', async (store, kept) => {
    const { row } = await unviolated('--store', store)
    expect(row('unlock by a non-owner')).toEqual([`refused, ${kept}`, 'ok'])
  })

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
  const answer = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return answer
}

/** The cells of the closing table, by the first of each line. */
function rowsOf(stdout: string): (what: string) => string[] | undefined {
  const lines = stdout.split('\n').filter((line) => line.startsWith('│'))
  const rows = lines.map((line) => line.split(/\s*│\s*/).slice(1, -1))
  return (what) => rows.find(([first]) => first === what)?.slice(1)
}
