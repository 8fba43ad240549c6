/** Real processes, each of which holds a lock and waits for the next one's. */
import type { HoldfastOptions } from '../../src/index.js'
import { Forked } from '../redisson/forked.js'
import type { Rows } from '../rows/store-of.js'
import type { Member, Word } from './member.fixture.js'

/** Where the locks are. */
export type Place =
  | Rows
  | { readonly servers: ReadonlyArray<{ host: string; port: number }>; readonly cluster: boolean }

export const labels = ['web-1', 'web-2', 'batch'] as const

/** Three processes in a ring, on three locks. */
export async function ringOfProcesses(
  place: Place,
  names: readonly string[],
  options: HoldfastOptions = {},
): Promise<Forked[]> {
  const processes = labels.map((label, index) => {
    const member: Member = {
      place,
      options: { ...options, label },
      first: names[index] ?? '',
      second: names[(index + 1) % names.length] ?? '',
    }
    return Forked.start(new URL('./member.fixture.ts', import.meta.url), member)
  })
  for (const each of processes) await heard(each, 'inside')
  for (const each of processes) each.send('go')
  return processes
}

/** Its next word of that sort; others are passed over. */
export async function heard<Sort extends Word['word']>(
  from: Forked,
  sort: Sort,
): Promise<Extract<Word, { word: Sort }>> {
  for (;;) {
    const word = await from.told()
    if (isWord(word, sort)) return word
  }
}

function isWord<Sort extends Word['word']>(
  value: unknown,
  sort: Sort,
): value is Extract<Word, { word: Sort }> {
  return typeof value === 'object' && value !== null && 'word' in value && value.word === sort
}
