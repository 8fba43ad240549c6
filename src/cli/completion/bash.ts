import type { Flag, Grammar } from '../grammar.js'

/** A script for bash. It knows all words by itself, so that a Tab starts no program. */
export function bashCompletion(program: Grammar): string {
  const everywhere = [...program.flags, ...program.commands.flatMap(({ flags }) => flags)]
  const valued = names(everywhere.filter(({ value }) => value !== undefined))
  const choices = everywhere.filter((flag) => flag.choices.length > 0)
  return `# bash completion of ${program.name}
_${program.name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command= place
  COMPREPLY=()
  for ((place = 1; place < COMP_CWORD; place++)); do
    case \${COMP_WORDS[place]} in
      --)
        # What follows is another program's.
        if declare -F _command_offset >/dev/null; then _command_offset $((place + 1)); else compopt -o default; fi
        return ;;
      ${valued.join('|')}) ((place++)) ;;
      -*) ;;
      *) [[ $command ]] || command=\${COMP_WORDS[place]} ;;
    esac
  done
  case $previous in
${choices.map((flag) => `    ${flag.names.join('|')}) ${reply(flag.choices)}; return ;;`).join('\n')}
    ${valued.join('|')}) compopt -o default; return ;;
  esac
  case $command in
    '') ${reply([...program.commands.map(({ name }) => name), ...names(program.flags)])} ;;
${program.commands
  .map(
    ({ name, flags, words, runs }) =>
      `    ${name}) ${reply([...words, ...names([...flags, ...program.flags]), ...(runs ? ['--'] : [])])} ;;`,
  )
  .join('\n')}
  esac
}
complete -F _${program.name} ${program.name}
`
}

function reply(words: readonly string[]): string {
  return `COMPREPLY=($(compgen -W '${[...new Set(words)].join(' ')}' -- "$current"))`
}

function names(flags: readonly Flag[]): string[] {
  return [...new Set(flags.flatMap((flag) => flag.names))]
}
