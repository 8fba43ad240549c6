/** The scripts for shells, each in its own shell, and the manual page: both made from what parses the command line. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onPath } from '../servers/path.js'
import { useProgram } from './program.js'

const run = promisify(execFile)
const program = useProgram()

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-completion-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Prints what the shell proposes for the text, a word each line. */
const shells = {
  bash: async (script: string, text: string) => {
    const words = text.split(' ')
    const ask = [
      `source '${script}'`,
      `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})`,
      `COMP_CWORD=${words.length - 1}`,
      '_holdfast',
      `printf '%s\\n' "\${COMPREPLY[@]}"`,
    ]
    return (await run('bash', ['--norc', '-c', ask.join('\n')])).stdout
  },
  // An interactive shell on a terminal of its own, whose menu is read.
  zsh: async (script: string, text: string) => {
    const ask = [
      'zmodload zsh/zpty',
      'zpty shell zsh -f -i',
      `zpty -w shell "PS1=; autoload -U compinit; compinit -D -u; source '${script}'; print read''y"`,
      `zpty -r shell seen '*ready*'`,
      `zpty -w -n shell '${text}'$'\\t\\t'`,
      // What it shows comes in pieces: a moment without any more is the end.
      'tries=0; while (( tries++ < 50 )); do zpty -r -t shell more && { seen+=$more; tries=0 }; sleep 0.02; done',
      'print -r -- "$seen"',
      'zpty -d shell',
    ]
    return (await run('zsh', ['-f', '-c', ask.join('\n')])).stdout
  },
  fish: async (script: string, text: string) =>
    (await run('fish', ['--no-config', '-c', `source '${script}'; complete -C '${text}'`])).stdout,
}

const proposals: ReadonlyArray<readonly [text: string, proposed: string]> = [
  ['holdfast ins', 'inspect'],
  ['holdfast run x --wat', '--watchdog'],
  ['holdfast --url redis:// watch x --inter', '--interval'],
  ['holdfast unlock --kind per', 'permits'],
  ['holdfast schema pos', 'postgres'],
]

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  const missing = (await onPath(shell)) === undefined
  if (missing && process.env['CI']) throw new Error(`no ${shell} is to be had`)
  describe.skipIf(missing)(`in ${shell}${missing ? ', which is not here' : ''}`, () => {
    let script: string
    beforeAll(async () => {
      const { stdout } = await program.run(['completion', shell])
      script = join(folder, shell)
      await writeFile(script, stdout)
    })

    test.each(proposals)('“%s” is completed with %s', async (text, proposed) => {
      expect(await shells[shell](script, text)).toContain(proposed)
    })

    test('what a command does not take is not proposed', async () =>
      expect(await shells[shell](script, 'holdfast ls --wat')).not.toContain('--watchdog'))
  })
}

test('another shell is refused', async () => {
  const refused = { code: 64, stderr: expect.stringContaining('bash, zsh, fish') }
  expect(await program.run(['completion', 'tcsh'])).toMatchObject(refused)
})

const man = await onPath('man')

describe('the manual page', () => {
  const page = new URL('../../man/holdfast.1', import.meta.url)

  test('has every command, option and exit code that the help has', async () => {
    const written = (await readFile(page, 'utf8')).replaceAll('\\-', '-')
    const { stdout } = await program.run(['--help'])
    const listed = stdout.slice(stdout.indexOf('Commands:'), stdout.indexOf('--url names'))
    const commands = [...listed.matchAll(/^ {2}(?!help)([a-z]+) /gm)].map(([, name = '']) => name)
    expect(commands).toContain('completion')
    for (const command of commands) {
      expect(written).toContain(`.SS ${command}\n`)
      const help = await program.run([command, '--help'])
      for (const [option] of help.stdout.matchAll(/--[a-z][a-z-]+/g)) expect(written).toContain(option)
    }
    for (const code of ['64', '69', '75', '76', '128+n']) expect(written).toContain(code)
  })

  test.skipIf(!man)('is one that man shows without a warning', async () => {
    const args = ['--warnings=all', '-E', 'UTF-8', '-l', '-Tutf8', page.pathname]
    const env = { ...process.env, MANWIDTH: '160', PAGER: 'cat' }
    const { stdout, stderr } = await run('man', args, { env })
    expect(stderr).toBe('')
    // Bold letters are struck twice.
    expect(stdout.replaceAll(/.[\b]/g, '')).toContain('holdfast run NAME [options] -- command [args…]')
  })
})
