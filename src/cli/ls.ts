import type { LockState } from '../store.js'
import { exitCodes } from './exit-codes.js'
import { stateJson, table } from './lock-view.js'
import type { Output } from './output.js'
import type { Server } from './server.js'

/** Lists the locks that are held now. JSON is written as they are found; a table needs to know its widths first. */
export async function ls(server: Server, pattern: string, output: Output): Promise<number> {
  const found: LockState[] = []
  for await (const state of server.holdfast.list(pattern)) {
    if (output.json) output.result(() => '', stateJson(state))
    else found.push(state)
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
