import type { Flag, Grammar } from '../grammar.js'

/** A script for zsh: a file `_holdfast` in a folder of `$fpath`, or to be sourced. */
export function zshCompletion(program: Grammar): string {
  return `#compdef ${program.name}
_${program.name}() {
  local context state line
  typeset -A opt_args
  _arguments -C ${[...program.flags.map(specOf), "'1:command:->command'", "'*::argument:->argument'"].join(' \\\n    ')}
  case $state in
    command)
      local -a commands=(
${program.commands.map(({ name, description }) => `        ${quoted(`${name}:${description}`)}`).join('\n')}
      )
      _describe command commands ;;
    argument)
      case $line[1] in
${program.commands.map((command) => argumentsOf(command, program)).join('\n')}
      esac ;;
  esac
}
if [[ $funcstack[1] == _${program.name} ]]; then _${program.name} "$@"; else compdef _${program.name} ${program.name}; fi
`
}

function argumentsOf({ name, flags, words, runs }: Grammar, program: Grammar): string {
  // Each has --help.
  const specs = [...flags, ...program.flags.filter(({ names }) => !names.includes('--help'))].map(specOf)
  const first = words.length > 0 ? `'1: :(${words.join(' ')})'` : "'1:name: '"
  const rest = runs ? ["'(-)2:command:_command_names -e'", "'*::argument:_normal'"] : []
  return `        ${name}) _arguments -s ${[...specs, first, ...rest].join(' \\\n          ')} ;;`
}

function specOf({ names, description, value, choices }: Flag): string {
  const text = `[${description.replaceAll(/[[\]\\]/g, '\\$&')}]`
  const ending = value === undefined ? '' : `:${value}:${choices.length > 0 ? `(${choices.join(' ')})` : ' '}`
  const spec = quoted(`${text}${ending}`)
  return names.length > 1 ? `'(${names.join(' ')})'{${names.join(',')}}${spec}` : `${names[0]}${spec}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
