import { exitCodes } from './exit-codes.js'
import { firstAnswer } from './first-answer.js'
import { isLocked, type LockView, viewJson } from './lock-view.js'
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
  const take = async (view: LockView): Promise<void> => {
    if (output.json && !sorting) await output.result(() => '', viewJson(view))
    else found.push(view)
  }
  // Whether somebody is inside of these only their processes know: all of them are asked at once.
  const lingering: LockView[] = []
  for await (const view of listing) {
    if (view.lingers) lingering.push(view)
    else await take(view)
  }
  const asked = await Promise.all(lingering.map((view) => server.family.asked(view)))
  for (const view of asked) if (isLocked(view) || view.waitingClients) await take(view)
  const { unreadable } = listing
  if (unreadable > 0) {
    const noun = unreadable === 1 ? 'lock' : 'locks'
    const text = `left out ${unreadable} ${noun} with a key that this user may not read, or that holds something else. Check the ACL.`
    output.note('unreadable', text, { unreadable })
  }
  found.sort(sortings[sorting ?? 'name'])
  if (output.json) {
    for (const view of found) await output.result(() => '', viewJson(view))
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
