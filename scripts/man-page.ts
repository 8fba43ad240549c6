/** Writes the manual page of the command line, as `man/holdfast.1`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { grammarOf } from '../src/cli/grammar.js'
import {
  completionHelp,
  inspectHelp,
  lsHelp,
  mainHelp,
  runHelp,
  schemaHelp,
  uiHelp,
  unlockHelp,
  watchHelp,
} from '../src/cli/help.js'
import { manPage } from '../src/cli/man-page.js'
import { programOf } from '../src/cli/program.js'
import { Session } from '../src/cli/session.js'

const root = new URL('../', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const help = {
  '': mainHelp,
  run: runHelp,
  ls: lsHelp,
  inspect: inspectHelp,
  watch: watchHelp,
  unlock: unlockHelp,
  ui: uiHelp,
  schema: schemaHelp,
  completion: completionHelp,
}
mkdirSync(new URL('man/', root), { recursive: true })
const page = manPage(grammarOf(programOf(new Session(false), undefined)), version, help)
writeFileSync(new URL('man/holdfast.1', root), page)
