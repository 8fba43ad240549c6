import type { Flag, Grammar } from './grammar.js'

/** The manual page `holdfast(1)`, of the program's grammar and its help texts by command; '' is the program's own. */
export function manPage(program: Grammar, version: string, help: Readonly<Record<string, string>>): string {
  return [
    `.TH ${program.name.toUpperCase()} 1 "" "${program.name} ${version}" "User Commands"`,
    '.SH NAME',
    `${program.name} \\- ${text(program.description)}`,
    '.SH SYNOPSIS',
    ...program.commands.flatMap(({ name, usage }) => ['.br', `.B ${program.name} ${name}`, text(usage)]),
    '.SH OPTIONS',
    'Of every command:',
    ...program.flags.flatMap(paragraphOf),
    '.SH COMMANDS',
    ...program.commands.flatMap((command) => [
      `.SS ${command.name}`,
      text(command.description),
      ...command.flags.filter(({ names }) => !names.includes('--help')).flatMap(paragraphOf),
      ...literal(help[command.name] ?? ''),
    ]),
    '.SH NOTES',
    ...literal(help[''] ?? ''),
    '',
  ].join('\n')
}

function paragraphOf({ names, description, value }: Flag): string[] {
  const ending = value === undefined ? '' : ` <${value}>`
  return ['.TP', `.B ${text(names.join(', ') + ending)}`, text(description)]
}

/** A text that is laid out already. */
function literal(laidOut: string): string[] {
  const lines = laidOut.trim().split('\n')
  return laidOut === '' ? [] : ['.PP', '.nf', ...lines.map(text), '.fi']
}

/** A hyphen is to be one that people can copy, and no line begins with what roff takes for a request. */
function text(line: string): string {
  return line.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/, '\\&$&')
}
