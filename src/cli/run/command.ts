import { type Command, InvalidArgumentError, Option } from 'commander'
import { exitCodes } from '../exit-codes.js'
import { usageError } from '../failure.js'
import { runHelp } from '../help.js'
import { parseCount, parsePositiveSeconds, parseSeconds } from '../seconds.js'
import type { CommonFlags, Session } from '../session.js'
import { parseName } from '../without-addresses.js'
import { type Command as ToRun, throughShell } from './child.js'
import { type RunFlags, runOptionsOf } from './options.js'
import { checkResource, resourceOf } from './resource.js'
import { Run } from './run.js'

/** The library's own default. */
const DEFAULT_WATCHDOG_MS = 30_000

/** Adds `run`. `words` are the words after `--`. */
export function runCommand(program: Command, session: Session, words: readonly string[] | undefined): void {
  const run = program
    .command('run')
    .usage('NAME [options] -- command [args…]')
    .description('Run a command while holding a lock.')
    .argument('<name>', 'the lock', parseName)
  for (const option of resourceOptions()) run.addOption(option)
  run
    .addOption(
      new Option('-w, --wait <seconds>', 'wait for the lock at most this long (default: for ever)')
        .argParser(parseSeconds)
        .conflicts('nonblock'),
    )
    .option('-n, --nonblock', 'do not wait for the lock')
    .option(
      '-E, --conflict-exit-code <code>',
      'exit code when the lock is busy',
      parseExitCode,
      exitCodes.busy,
    )
    .option('-c, --command <string>', 'run this through $SHELL -c, else sh -c')
    .addOption(
      new Option(
        '--lease <seconds>',
        'hold the lock at most this long (default: as long as the command runs)',
      )
        .argParser(parsePositiveSeconds)
        .conflicts('watchdog'),
    )
    .option(
      '--watchdog <seconds>',
      'the lease: after a crash the lock is free within this time; it is renewed every third of it (default: 30)',
      parsePositiveSeconds,
    )
    .addOption(
      new Option(
        '--at-least <seconds>',
        'keep the lock at least this long from the start of the command, so that machines whose clocks are behind do not run it again',
      )
        .argParser(parsePositiveSeconds)
        .conflicts(['shared', 'exclusive', 'permits']),
    )
    .option(
      '--grace <seconds>',
      'time from TERM to KILL when the lock is lost, within the lease, and for processes that remain after a signal (default: 5, or a fifth of a short lease)',
      parseSeconds,
    )
    .option('--label <text>', 'what others see as the holder (default: host:pid)')
    .option('-v, --verbose', 'report on standard error how long the wait took')
    .option('-q, --quiet', 'do not report that the lock is busy')
    .action(async (name: string, _flags, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags & RunFlags & { command?: string }>()
      const toRun = commandOf(words, flags.command)
      const watchdogMs = flags.watchdog ?? DEFAULT_WATCHDOG_MS
      const options = runOptionsOf(flags, watchdogMs)
      checkResource(flags)
      await session.performUntilSignal(
        flags,
        async (server, output, signals) => {
          const resource = await resourceOf(server, name, flags)
          return await new Run(server, resource, toRun, options, output, signals).result()
        },
        {
          watchdogMs,
          commandTimeoutMs: commandTimeoutOf(watchdogMs),
          ...(flags.label !== undefined && { label: flags.label }),
        },
      )
    })
    .addHelpText('after', runHelp)
}

/** The options for the kind of lock; at most one of them. */
function resourceOptions(): Option[] {
  return [
    new Option('--fair', 'take turns with others that wait: first come, first served').conflicts([
      'shared',
      'exclusive',
      'permits',
    ]),
    new Option('-s, --shared', 'read-write lock: run beside others that say so, too').conflicts([
      'exclusive',
      'permits',
    ]),
    new Option('-x, --exclusive', 'read-write lock: run alone').conflicts('permits'),
    new Option('--permits <number>', 'semaphore: take so many permits').argParser(parseCount),
    new Option('--of <number>', 'how many permits there are, where that is not set yet').argParser(
      parseCount,
    ),
  ]
}

function commandOf(words: readonly string[] | undefined, shellText: string | undefined): ToRun {
  const [file, ...args] = words ?? []
  if (shellText !== undefined) {
    if (file !== undefined) throw usageError('Give a command either after -- or with -c, not both.')
    return throughShell(shellText)
  }
  if (!file) throw usageError('There is no command to run.')
  return { file, args }
}

/** An unanswered renewal must be abandoned while there is time for another one. */
function commandTimeoutOf(watchdogMs: number): number {
  return Math.min(Math.max(Math.floor(watchdogMs / 6), 1_000), 3_000)
}

function parseExitCode(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > 255)
    throw new InvalidArgumentError('Give a number from 0 to 255.')
  return Number(text)
}
