import type { Flag, Grammar } from '../grammar.js'

/** A script for fish. */
export function fishCompletion(program: Grammar): string {
  const complete = `complete -c ${program.name}`
  const lines = [
    `${complete} -f`,
    ...program.flags.map((flag) => `${complete} ${flagText(flag)}`),
    ...program.commands.flatMap(({ name, description, flags, words, runs }) => {
      const inside = `${complete} -n '__fish_seen_subcommand_from ${name}'`
      return [
        `${complete} -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
        ...(words.length > 0 ? [`${inside} -a '${words.join(' ')}'`] : []),
        ...flags
          .filter(({ names }) => !names.includes('--help'))
          .map((flag) => `${inside} ${flagText(flag)}`),
        ...(runs
          ? [
              `${complete} -n '__fish_seen_subcommand_from ${name}; and contains -- -- (commandline -opc)' -F -a '(__fish_complete_command)'`,
            ]
          : []),
      ]
    }),
  ]
  return `# fish completion of ${program.name}\n${lines.join('\n')}\n`
}

function flagText({ names, description, value, choices }: Flag): string {
  const parts = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  if (value !== undefined) parts.push('-x')
  if (choices.length > 0) parts.push(`-a '${choices.join(' ')}'`)
  return [...parts, `-d ${quoted(description)}`].join(' ')
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}
