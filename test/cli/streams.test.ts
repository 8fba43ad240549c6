import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tidiedPlace } from '../setup/places.js'
import { canMakeTerminals, jsonLines, useProgram } from './program.js'

const program = useProgram()
const place = tidiedPlace('standalone')

const canBeFull = existsSync('/dev/full')

/**
 * Runs this with a terminal as standard error that nobody has open any more: from the start, or from the first note on, when Node
 * has seen that it is one.
 */
const withGoneTerminal = (from: 'start' | 'note') => (run: string) =>
  `python3 -c '
import os, pty, subprocess, sys
master, slave = pty.openpty()
${from === 'start' ? 'os.close(master)' : ''}
child = subprocess.Popen(sys.argv[1:], stderr=slave)
os.close(slave)
${from === 'note' ? 'os.read(master, 1); os.close(master)' : ''}
sys.exit(child.wait())' ${run}; echo "code $?"`

describe('holdfast run: H32, nobody takes what it has to say', () => {
  const cases: ReadonlyArray<readonly [string, boolean, (run: string) => string]> = [
    ['a pipe whose reader has left', true, (run) => `{ ${run}; echo "code $?"; } 2>&1 >&3 3>&- | true`],
    ['a full disk', canBeFull, (run) => `${run} 2>/dev/full; echo "code $?"`],
    ['a closed stream', true, (run) => `${run} 2>&-; echo "code $?"`],
    ['a terminal that has gone', canMakeTerminals, withGoneTerminal('start')],
    ['a terminal that goes', canMakeTerminals, withGoneTerminal('note')],
  ]
  for (const [what, possible, on] of cases) {
    it.skipIf(!possible)(`${what}: the command keeps its lock to the end`, async () => {
      const name = place.lockName()
      const running = program.startInShell(
        `exec 3>&1; ${on(`holdfast run ${name} -v -- sh -c 'echo ready; read line; exit 5'`)}`,
      )
      await running.shows('ready')
      expect(await place.holdfast().lock(name).isLocked()).toBe(true)
      expect((await running.goesOn()).stdout).toBe('ready\ncode 5\n')
      expect(await place.holdfast().lock(name).isLocked()).toBe(false)
    })

    it.skipIf(!possible)(`${what}: the command is stopped when its lock is lost`, async () => {
      const name = place.lockName()
      // The shell itself would say something of what was ended under it, and end of that.
      const stubborn = `-- sh -c 'exec 2>/dev/null; trap "echo got TERM" TERM; echo ready; while :; do sleep 0.05; done'`
      const run = `holdfast run ${name} -v --watchdog 3 --grace 0.9 ${stubborn}`
      const running = program.startInShell(`exec 3>&1; ${on(run)}`)
      await running.shows('ready')
      await place.holdfast().lock(name).forceUnlock()
      expect((await running.outcome).stdout).toMatch(/^ready\ngot TERM\ncode 76\n$/)
    })
  }

  it('a pipe that is full and that nobody empties: the command is stopped when its lock is lost', async () => {
    const name = place.lockName()
    const full = `dd if=/dev/zero bs=4096 count=64 >&2 2>/dev/null & exec 2>/dev/null; trap "echo got TERM; exit" TERM; echo ready; while :; do sleep 0.05; done`
    const run = `holdfast run ${name} --watchdog 1.5 -v -- sh -c '${full}'`
    // The reader stays until it is told to end, and all that was started ends with it.
    const running = program.startInShell(`exec 3>&1 4<&0; ${run} 2>&1 >&3 | { read line; read line <&4; }`)
    await running.shows('ready')
    await place.holdfast().lock(name).forceUnlock()
    await running.shows('got TERM')
    await running.goesOn()
  })

  it('an error nobody has thought of ends the command, too', async () => {
    const fault = `process.on('SIGWINCH', () => { setTimeout(() => { throw new Error('unforeseen') }) })`
    const env = { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(fault)}"` }
    const script = `trap 'echo got TERM; exit' TERM; echo ready; while :; do sleep 0.05; done`
    const running = await program.ready([place.lockName(), '--', 'sh', '-c', script], { env })
    const { stdout, stderr } = await running.endsBy('SIGWINCH')
    expect(stdout).toContain('got TERM')
    expect(stderr).toContain('unforeseen')
  })
})

describe('H36: results that cannot be written', () => {
  it
    .skipIf(!canBeFull)
    .each([
      'ls',
      'ls --json',
      'inspect x',
      'watch x --interval 0.05',
      'unlock x --force --yes',
      '--help',
      '--version',
    ])('%s >/dev/full: one line and 74', async (args) => {
    const name = place.lockName()
    await using _ = await place.holdfast().lock(name).acquire()
    // What other tests keep on the same server may give `ls` a second line to say.
    const running = program.startInShell(`exec holdfast ${args.replace('ls', `ls ${name}`)} >/dev/full`)
    const { code, stderr } = await running.outcome
    expect(code).toBe(74)
    expect(stderr).toMatch(/^[^\n]*standard output[^\n]*\n$/)
    if (args.includes('--json'))
      expect(jsonLines(stderr)).toMatchObject([{ error: { code: 'OUTPUT', exitCode: 74 } }])
  })

  it('ls | true: quietly', async () => {
    const name = place.lockName()
    await using _ = await place.holdfast().lock(name).acquire()
    const running = program.startInShell(`{ holdfast ls ${name}; echo "code $?" >&2; } | true`)
    expect((await running.outcome).stderr).toMatch(/^code (0|141)\n$/)
  })
})
