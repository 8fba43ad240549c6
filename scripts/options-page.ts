/** Checks that docs/options.md has every option as the sources describe it; with --local it writes the tables anew. */
import { readFile, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { type Option, type OptionTable, optionTables } from './option-tables.js'

const file = new URL('../docs/options.md', import.meta.url)
const MARK = '<!-- From here on written by npm run api, from the comments in src/. -->\n'

const page = await readFile(file, 'utf8')
const [introduction = ''] = page.split(MARK)
const wanted = `${introduction}${MARK}${optionTables().map(sectionOf).join('')}`
if (page !== wanted) {
  if (process.argv.includes('--local')) await writeFile(file, wanted)
  else {
    console.error('docs/options.md does not have the options that the sources describe: npm run api')
    process.exitCode = 1
  }
}

function sectionOf({ name, module, takenBy, options, shared }: OptionTable): string {
  const rows = options.map(rowOf)
  const head = '| option | type | default | minimum | |\n|---|---|---|---|---|\n'
  const others = [...shared].map(([table, names]) => {
    const link = `[\`${table}\`](#${table.toLowerCase()})`
    return `${rows.length > 0 ? 'Also' : 'Takes'} ${names.map((each) => `\`${each}\``).join(', ')} of ${link}.\n`
  })
  return [
    `\n## ${name}\n\nFrom \`${module}\`${takenBy.length > 0 ? `, for ${callsIn(takenBy)}` : ''}.\n`,
    rows.length > 0 ? `\n${head}${rows.join('')}` : '',
    others.length > 0 ? `\n${others.join('')}` : '',
  ].join('')
}

function rowOf({ name, type, standard, least, text }: Option): string {
  const cells = [`\`${name}\``, codeOf(type), standard.replace(/^\S+/, literalOf), least, linked(text)]
  return `| ${cells.map((cell) => cell.replace(/\s+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |\n`
}

function codeOf(type: string): string {
  return type === 'ms' ? 'ms' : `\`${type}\``
}

/** A value among words. */
function literalOf(word: string): string {
  return /^(true|false|Infinity|undefined|'.*')[:,]?$/.test(word) ? word.replace(/^[^:,]+/, '`$&`') : word
}

/** Pages are named from the root in comments, and stand beside each other here. */
function linked(text: string): string {
  return text.replace(/docs\/([\w-]+\.md)/g, '[$1]($1)').replace(/\{@link ([\w.]+)\}/g, '`$1`')
}

function callsIn(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}
