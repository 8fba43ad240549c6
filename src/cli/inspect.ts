import { exitCodes } from './exit-codes.js'
import { card, view, viewJson } from './lock-view.js'
import type { Output } from './output.js'
import type { Server } from './server.js'

/** Shows one lock, held or free. */
export async function inspect(server: Server, name: string, output: Output): Promise<number> {
  const lock = await view(server.holdfast.lock(name))
  output.result(() => card(lock, output.colours), viewJson(lock))
  return exitCodes.ok
}
