import * as scripts from '../../src/stores/redis/scripts/scripts.generated.js'

/** A command that has passed the proxy on its way to the server. */
export class ProxiedCommand {
  /** Its first word, in capitals. */
  readonly name: string
  /** What the server answered, as sent; undefined until then. */
  reply: string | undefined

  constructor(
    /** Which of the proxy's connections it came by, counted from 0. */
    readonly connection: number,
    /** Which flight of that connection it belonged to, counted from 1. */
    readonly flight: number,
    readonly words: readonly string[],
  ) {
    this.name = words[0]?.toUpperCase() ?? ''
  }

  /** Whether the server has carried it out. */
  get applied(): boolean {
    return this.reply !== undefined && !this.reply.startsWith('-')
  }

  /** What it is, in one word: the script's name where it runs one of Holdfast's. */
  get label(): string {
    if (this.name !== 'EVALSHA' && this.name !== 'EVAL') return this.name
    const program = this.words[1]
    const known = Object.entries(scripts).find(
      ([, { sha1, parts }]) => program === sha1 || program === parts.join(''),
    )
    return known?.[0] ?? this.name
  }
}

export type Match = (command: ProxiedCommand) => boolean

/** Calls of one of Holdfast's scripts, by hash or with the source. */
export function calls(script: keyof typeof scripts): Match {
  return ({ label }) => label === script
}

/** Commands of that name. */
export function named(name: string): Match {
  return (command) => command.name === name
}
