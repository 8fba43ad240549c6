import { mutants } from '../chaos/mutants/catalogue.js'
import type { Fault } from './fault.js'
import { ofCore } from './of-core.js'
import { ofStores } from './of-stores.js'

export const faults: readonly Fault[] = [...mutants, ...[ofCore, ofStores].flatMap(faultsIn)]

/** Behind the name of a file: each fault's name, what it does wrong, and the lines that it takes away (-) and puts in their place (+). */
function faultsIn(text: string): Fault[] {
  let source = ''
  return text
    .trim()
    .split(/\n(?![-+] )/)
    .flatMap((block) => {
      const [title = '', ...lines] = block.split('\n')
      if (lines.length === 0) {
        source = title
        return []
      }
      const [name = '', fault = ''] = title.split(/: (.*)/)
      const marked = (mark: string): string =>
        lines.flatMap((line) => (line.startsWith(mark) ? [line.slice(2)] : [])).join('\n')
      return [{ name, fault, in: { source }, text: marked('-'), becomes: marked('+') }]
    })
}
