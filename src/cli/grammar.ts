import type { Command, Option } from 'commander'

/** A flag, as shells and the manual page need to know it. */
export interface Flag {
  /** `-w`, `--wait` */
  readonly names: readonly string[]
  readonly description: string
  /** What stands for its value: `seconds`. Undefined where it takes none. */
  readonly value: string | undefined
  readonly choices: readonly string[]
}

/** A subcommand, or the program itself. */
export interface Grammar {
  readonly name: string
  readonly description: string
  /** As in `run NAME [options] -- command [args…]`. */
  readonly usage: string
  readonly flags: readonly Flag[]
  /** The words that its argument can be, where these are known. */
  readonly words: readonly string[]
  /** Whether the words after `--` are another program's. */
  readonly runs: boolean
  readonly commands: readonly Grammar[]
}

/** What the program takes, read from what parses it. */
export function grammarOf(command: Command): Grammar {
  const help = command.createHelp()
  return {
    name: command.name(),
    description: command.description(),
    usage: command.usage(),
    flags: help.visibleOptions(command).map(flagOf),
    words: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    runs: command.usage().includes(' -- '),
    commands: help
      .visibleCommands(command)
      .filter((each) => command.commands.includes(each))
      .map(grammarOf),
  }
}

function flagOf({ short, long, description, flags, required, argChoices }: Option): Flag {
  return {
    names: [short, long].filter((name) => name !== undefined && name !== null),
    description,
    value: required ? /<(.*)>/.exec(flags)?.[1] : undefined,
    choices: argChoices ?? [],
  }
}
