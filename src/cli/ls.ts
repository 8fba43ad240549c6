import { exitCodes } from './exit-codes.js'
import { firstAnswer } from './first-answer.js'
import { type LockView, viewJson } from './lock-view.js'
import type { Output } from './output.js'
import type { Server } from './server.js'
import { type Sorting, sortings } from './sorting.js'
import { table } from './table.js'

/** Lists the locks that are held now. Writes JSON as it finds them, unless it is to sort them; a table needs all widths first. */
export async function ls(
  server: Server,
  pattern: string,
  sorting: Sorting | undefined,
  output: Output,
): Promise<number> {
  await firstAnswer(server.family.greet(), output)
  const found: LockView[] = []
  const listing = server.catalogue.held(pattern)
  for await (const lock of listing) {
    if (output.json && !sorting) await output.result(() => '', viewJson(lock))
    else found.push(lock)
  }
  const { unreadable } = listing
  if (unreadable > 0) {
    const noun = unreadable === 1 ? 'lock' : 'locks'
    const text = `left out ${unreadable} ${noun} with a key that this user may not read, or that holds something else. Check the ACL.`
    output.note('unreadable', text, { unreadable })
  }
  found.sort(sortings[sorting ?? 'name'])
  if (output.json) {
    for (const lock of found) await output.result(() => '', viewJson(lock))
    return exitCodes.ok
  }
  if (found.length === 0) {
    output.note(
      'none',
      pattern === '*' ? 'no lock is held' : `no lock is held whose name matches "${pattern}"`,
    )
    return exitCodes.ok
  }
  output.result(() => table(found, output.colours), null)
  return exitCodes.ok
}
