import type { Grammar } from '../grammar.js'
import { bashCompletion } from './bash.js'
import { fishCompletion } from './fish.js'
import { zshCompletion } from './zsh.js'

/** What prints the script of each shell. */
export const completions: Readonly<Record<'bash' | 'zsh' | 'fish', (program: Grammar) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}
