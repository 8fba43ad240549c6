import { readFileSync } from 'node:fs'
import { Argument, Command, CommanderError, Option } from 'commander'
import { completions } from './completion/shells.js'
import { deadlocks, watchDeadlocks } from './deadlocks.js'
import { exitCodes } from './exit-codes.js'
import { usageError } from './failure.js'
import { grammarOf } from './grammar.js'
import {
  completionHelp,
  deadlocksHelp,
  inspectHelp,
  lsHelp,
  mainHelp,
  schemaHelp,
  uiHelp,
  unlockHelp,
  watchHelp,
} from './help.js'
import { inspect } from './inspect.js'
import { type KindFlag, kindFlags } from './kind-flag.js'
import { ls } from './ls.js'
import { runCommand } from './run/command.js'
import { productOf, schemas } from './schemas.js'
import { parseCount, parsePort, parsePositiveSeconds, parseSeconds } from './seconds.js'
import { type CommonFlags, interrupted, Session } from './session.js'
import { type Sorting, sortings } from './sorting.js'
import { type UiFlags, uiTerms } from './ui/ui-options.js'
import { checkUnlock, unlock } from './unlock.js'
import { watch } from './watch.js'
import { parseName, withoutAddresses } from './without-addresses.js'

/** Runs the program with these arguments, and ends the process with its exit code. */
export async function main(args: readonly string[]): Promise<never> {
  const { own, words } = splitAtCommand(args)
  const session = new Session(own.includes('--json'))
  return await session.output.end(await exitCodeOf(session, own, words))
}

async function exitCodeOf(
  session: Session,
  own: readonly string[],
  words: readonly string[] | undefined,
): Promise<number> {
  const program = programOf(session, words)
  try {
    await program.parseAsync(own, { from: 'user' })
    return session.exitCode
  } catch (error) {
    if (error instanceof CommanderError) {
      // The user puts a `--` before a name that begins with a dash.
      const [name, next, ...command] = words ?? []
      if (error.code === 'commander.missingArgument' && name !== undefined && next === '--')
        return await exitCodeOf(session, [...own, '--', name], command)
      // Requested help is a result; help shown because a subcommand is missing is not.
      if (error.exitCode === 0) return exitCodes.ok
      if (error.code === 'commander.help') return exitCodes.usage
      const misplaced = error.code === 'commander.excessArguments' && error.message.includes("for 'run'")
      const message = misplaced
        ? 'Only the name of the lock stands before --, and the whole command after it: holdfast run NAME -- command.'
        : withoutAddresses(error.message.replace(/^error: /, ''), own)
      const mistake = usageError(message)
      return session.fail(mistake, adviceFor(program, own, words))
    }
    return session.fail(error, adviceFor(program, own, words))
  }
}

/** The words after `run … --` belong to the command, even if they look like this program's options. */
function splitAtCommand(args: readonly string[]): { own: string[]; words: readonly string[] | undefined } {
  const at = args.indexOf('--')
  if (at < 0 || !args.slice(0, at).includes('run')) return { own: [...args], words: undefined }
  return { own: args.slice(0, at), words: args.slice(at + 1) }
}

export function programOf(session: Session, words: readonly string[] | undefined): Command {
  const { output } = session
  const program = new Command('holdfast')
    .description(
      'Distributed locks in Redis, a database, etcd, ZooKeeper, memcached or a file: run commands one at a time, list the locks that are held, free a stuck one.',
    )
    .version(version())
    .addOption(new Option('--url <url>', 'the server, or the file').env('HOLDFAST_URL'))
    .addOption(
      new Option('--key-prefix <prefix>', 'put before each name, in Redis').env('HOLDFAST_KEY_PREFIX'),
    )
    .option('--json', 'write JSON, one object per line')
    .configureHelp({ showGlobalOptions: true })
    // All errors are reported in one place.
    .configureOutput({
      writeOut: (text) => output.results.write(text),
      writeErr: (text) => output.notes.write(text),
      outputError: () => undefined,
    })
    .exitOverride()
    .allowExcessArguments(false)
    .addHelpText('after', mainHelp)
    .hook('preAction', () => {
      // A script may have passed a variable that is not set. Locks in the user's own file would then exclude nobody.
      if (program.getOptionValueSource('url') === 'cli' && program.getOptionValue('url') === '')
        throw usageError(
          'The server URL is empty. Leave --url out to use HOLDFAST_URL, or the file of this user.',
        )
    })

  runCommand(program, session, words)

  program
    .command('ls')
    .description('List the locks that are held now.')
    .argument('[pattern]', 'which names', parseName, '*')
    .addOption(
      new Option(
        '--sort <order>',
        'which come first: the most waited for, the longest held, or by name',
      ).choices(Object.keys(sortings)),
    )
    .action((pattern: string, _flags, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags & { sort?: Sorting }>()
      return session.perform(flags, (server, output) => ls(server, pattern, flags.sort, output))
    })
    .addHelpText('after', lsHelp)

  program
    .command('inspect')
    .description('Show one lock: its owners, the time left, its waiters.')
    .argument('<name>', 'the lock', parseName)
    .action((name: string, _flags, command: Command) =>
      session.perform(command.optsWithGlobals<CommonFlags>(), (server, output) =>
        inspect(server, name, output),
      ),
    )
    .addHelpText('after', inspectHelp)

  program
    .command('watch')
    .description('Show one lock as it changes.')
    .argument('<name>', 'the lock', parseName)
    .addOption(
      new Option('--interval <seconds>', 'how often to look')
        .argParser(parsePositiveSeconds)
        .default(1_000, '1'),
    )
    .option('--count <number>', 'end after this many redraws, or lines', parseCount)
    .action(async (name: string, _flags, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags & { interval: number; count?: number }>()
      const options = { intervalMs: flags.interval, count: flags.count }
      await session.performUntilSignal(flags, async (server, output, signals) => {
        const exitCode = await watch(server, name, options, output, signals.aborted)
        return interrupted(signals, exitCode, exitCodes.ok)
      })
    })
    .addHelpText('after', watchHelp)

  program
    .command('deadlocks')
    .description('Show who waits while it holds other locks, and who of them for each other.')
    .option('--watch', 'look every second until a signal', false)
    .action(async (_flags, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags & { watch: boolean }>()
      if (!flags.watch) {
        await session.perform(flags, (server, output) => deadlocks(server, output))
        return
      }
      await session.performUntilSignal(flags, async (server, output, signals) => {
        await watchDeadlocks(server, output, signals.aborted)
        return interrupted(signals, exitCodes.ok, exitCodes.ok)
      })
    })
    .addHelpText('after', deadlocksHelp)

  program
    .command('unlock')
    .description('Free a lock, whatever its owner.')
    .argument('<name>', 'the lock', parseName)
    .option('--force', 'required: free it without its holder’s consent', false)
    .option('--yes', 'do not ask for confirmation', false)
    .addOption(new Option('--kind <kind>', 'which lock, if several have the name').choices(kindFlags))
    .action(async (name: string, _flags, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags & { force: boolean; yes: boolean; kind?: KindFlag }>()
      checkUnlock(flags)
      await session.performUntilSignal(flags, async (server, output, signals) =>
        interrupted(signals, await unlock(server, name, flags, output, signals.aborted)),
      )
    })
    .addHelpText('after', unlockHelp)

  program
    .command('ui')
    .description('Serve a page that shows the locks as they change.')
    .option('--host <host>', 'listen on this address; any but this machine’s own takes a token', 'localhost')
    .addOption(
      new Option('--port <port>', 'listen on this port; 0 is any that is free')
        .argParser(parsePort)
        .default(4653),
    )
    .addOption(new Option('--token <token>', 'ask whoever opens the page for this').env('HOLDFAST_UI_TOKEN'))
    .option('--allow-unlock', 'let the page free locks, once confirmed', false)
    .addOption(
      new Option('--history <seconds>', 'know what has changed for so long, whether or not a page was open')
        .argParser(parseSeconds)
        .default(0),
    )
    .action(async (_flags, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags & UiFlags>()
      const terms = uiTerms(flags)
      const { serveUi } = await import('./ui/index.js')
      await session.performUntilSignal(flags, async (server, output, signals) => {
        const exitCode = await serveUi(server, terms, session.serverName, output, signals.aborted)
        return interrupted(signals, exitCode, exitCodes.ok)
      })
    })
    .addHelpText('after', uiHelp)

  program
    .command('schema')
    .description('Print the SQL that creates the tables of locks.')
    .addArgument(
      new Argument('<product>', 'of which database').choices(Object.keys(schemas)).argParser(productOf),
    )
    .action(async (product: keyof typeof schemas) => {
      const sql = await schemas[product]()
      output.result(() => sql, { sql })
    })
    .addHelpText('after', schemaHelp)

  program
    .command('completion')
    .description('Print the script that completes commands and options in a shell.')
    .addArgument(new Argument('<shell>', 'for which').choices(Object.keys(completions)))
    .action((shell: keyof typeof completions) => {
      const script = completions[shell](grammarOf(program))
      output.result(() => script, { script })
    })
    .addHelpText('after', completionHelp)

  return program
}

function adviceFor(program: Command, own: readonly string[], words: readonly string[] | undefined): string {
  const known = program.commands.map((each) => each.name()).find((name) => own.includes(name))
  if (known === 'run' && words === undefined && !own.some((each) => each === '-c' || each === '--command')) {
    return 'The command comes after --, as in: holdfast run NAME -- command. See: holdfast run --help'
  }
  return `See: holdfast ${known === undefined ? '' : `${known} `}--help`
}

/** Resolved by the package's own name, so that it works wherever this file was built to. */
function version(): string {
  const about: unknown = JSON.parse(
    readFileSync(new URL(import.meta.resolve('holdfast/package.json')), 'utf8'),
  )
  const known = typeof about === 'object' && about !== null && 'version' in about
  return known ? String(about.version) : 'unknown'
}
