import { cards } from './card.js'
import { exitCodes } from './exit-codes.js'
import { firstAnswer } from './first-answer.js'
import { viewJson } from './lock-view.js'
import type { Output } from './output.js'
import type { Server } from './server.js'

/** Shows the locks of a name, held or free: usually one. */
export async function inspect(server: Server, name: string, output: Output): Promise<number> {
  const locks = await firstAnswer(server.catalogue.look(name), output)
  if (output.json) for (const lock of locks) output.result(() => '', viewJson(lock))
  else output.result(() => cards(locks, output.colours), null)
  return exitCodes.ok
}
