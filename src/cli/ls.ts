import { exitCodes } from './exit-codes.js'
import { firstAnswer } from './first-answer.js'
import { type LockView, stateJson } from './lock-view.js'
import type { Output } from './output.js'
import type { Server } from './server.js'
import { table } from './table.js'

/** Lists the locks that are held now. Writes JSON as it finds them; a table needs all widths first. */
export async function ls(server: Server, pattern: string, output: Output): Promise<number> {
  await firstAnswer(server.family.greet(), output)
  const found: LockView[] = []
  const listing = server.catalogue.held(pattern)
  for await (const lock of listing) {
    if (output.json) await output.result(() => '', stateJson(lock))
    else found.push(lock)
  }
  const { unreadable } = listing
  if (unreadable > 0) {
    const noun = unreadable === 1 ? 'lock' : 'locks'
    const text = `left out ${unreadable} ${noun} with a key that this user may not read, or that holds something else. Check the ACL.`
    output.note('unreadable', text, { unreadable })
  }
  if (output.json) return exitCodes.ok
  if (found.length === 0) {
    output.note(
      'none',
      pattern === '*' ? 'no lock is held' : `no lock is held whose name matches "${pattern}"`,
    )
    return exitCodes.ok
  }
  found.sort((one, other) => (one.name < other.name ? -1 : 1))
  output.result(() => table(found, output.colours), null)
  return exitCodes.ok
}
