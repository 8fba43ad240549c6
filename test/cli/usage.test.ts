import { describe, expect, it } from 'vitest'
import { jsonLines } from './json.js'
import { useProgram } from './program.js'

const program = useProgram()

/** What is wrong, what is said of it, and the command line. */
const mistakes: ReadonlyArray<readonly [string, string, string]> = [
  ['no command after run', 'no command', 'run x'],
  ['nothing after --', 'no command', 'run x --'],
  ['a command without --', '--', 'run x echo hi'],
  ['no name', 'name', 'run -- true'],
  ['a command twice', 'not both', 'run x -c true -- true'],
  ['an unknown option', '--lease', 'run x --laese 3 -- true'],
  ['an unknown subcommand', 'Did you mean', 'inspekt x'],
  ['a wait that is no number', 'seconds', 'run x -w soon -- true'],
  ['a negative wait', 'seconds', 'run x -w=-1 -- true'],
  ['a wait and no wait', 'cannot be used with', 'run x -w 1 -n -- true'],
  ['no lease', 'more than 0', 'run x --lease 0 -- true'],
  ['a lease and a watchdog', 'cannot be used with', 'run x --lease 9 --watchdog 9 -- true'],
  ['a lease too short to work', 'leaseMs', 'run x --lease 0.001 -- true'],
  ['a grace as long as the lease', '--grace', 'run x --lease 2 --grace 2 -- true'],
  ['a grace that renewals do not leave', '--grace', 'run x --grace 16 -- true'],
  ['two kinds of lock at once', 'cannot be used with', 'run x --fair --shared -- true'],
  ['permits of a lock', 'cannot be used with', 'run x -x --permits 2 -- true'],
  ['no permits', 'at least 1', 'run x --permits 0 -- true'],
  ['a fraction of a permit', 'whole number', 'run x --permits 1.5 -- true'],
  ['more permits than there are', 'at most 2', 'run x --permits 3 --of 2 -- true'],
  ['permits in all, of nothing', '--permits', 'run x --of 3 -- true'],
  ['an unknown kind', 'Allowed choices', 'unlock x --force --yes --kind mutex'],
  ['an exit code out of range', '255', 'run x -E 256 -- true'],
  ['an empty name', 'name', 'run  -- true'],
  ['too many names', 'too many arguments', 'inspect x y'],
  ['a count of nothing', 'at least 1', 'watch x --count 0'],
  ['unlock without --force', '--force', 'unlock x --yes'],
  ['an empty URL', 'empty', 'ls --url '],
  ['a URL in the place of a name', 'after --url', 'ls redis://app:hush@h'],
  ['a value that is part of other words', "--wait <seconds>' argument '…'", 'run x --wait=a -- true'],
]

describe('wrong usage ends with 64 and says what is wrong', () => {
  it.each(mistakes)('%s', async (_, says, line) => {
    const { code, stdout, stderr } = await program.run(line.split(' '))
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toContain(says)
    expect(stderr).toMatch(/^holdfast: /)
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it('with --json the error is one line of JSON', async () => {
    const { code, stderr } = await program.run(['run', 'x', '--json', '--nonsense', '--', 'true'])
    expect(code).toBe(64)
    expect(jsonLines(stderr)).toMatchObject([{ error: { code: 'USAGE', exitCode: 64 } }])
  })

  it('HOLDFAST_DEBUG adds the stack', async () => {
    const { stderr } = await program.run(['ls', '--url', 'nonsense'], { env: { HOLDFAST_DEBUG: '1' } })
    expect(stderr).toMatch(/\n\s+at /)
  })

  it('without arguments the help is shown, on standard error', async () => {
    const help = { code: 64, stdout: '', stderr: expect.stringContaining('Usage: holdfast') }
    expect(await program.run([])).toEqual(help)
  })
})

describe('an address where no locks can be kept is told by what is there', () => {
  it.each([
    ['a file that is no database', `sqlite:${import.meta.filename}`, 65, 'no SQLite database'],
    ['a folder', 'sqlite:/tmp', 65, 'is no file'],
    ['a folder that takes no files', 'sqlite:/proc/x.db', 69, 'choose another path'],
  ])('%s', async (_, url, code, says) => {
    const told = await program.run(['run', 'x', '--url', url, '--', 'true'])
    expect(told.code).toBe(code)
    expect(told.stderr).toContain(says)
    expect(told.stderr).not.toMatch(/key|password|server runs/)
  })
})

describe('help teaches', () => {
  it('defaults in the units of their options', async () => {
    const { stdout } = await program.run(['watch', '--help'])
    expect(stdout).toMatch(/--interval <seconds>\s+how often to look \(default: 1\)/)
  })

  it.each([
    ['--help', 'run ls inspect watch unlock HOLDFAST_URL redis-sentinel:// 75'],
    ['run --help', '--wait --lease --fair --shared --exclusive --permits --of 127 Examples: --url --json'],
    ['ls --help', 'PATTERN remainingMs kind --url --json'],
    ['inspect --help', 'waitingClients --url --json'],
    ['watch --help', '--interval --count --url --json'],
    ['unlock --help', '--force --yes --kind Examples: --url --json'],
  ])('%s', async (words, texts) => {
    const { code, stdout, stderr } = await program.run(words.split(' '))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const text of texts.split(' ')) expect(stdout).toContain(text)
  })

  it('--version', async () => expect((await program.run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+/))
})
