import process from 'node:process'
import { findWay, type Order } from './find.js'
import { GivenServer } from './given.js'
import { LaunchedServer, type Plan } from './launched.js'
import type { Server } from './server.js'

export type ServerOrder = Order & Pick<Plan, 'args' | 'files' | 'port'>

/**
 * Brings one standalone server on the loopback interface, ready to answer. Where any flavour will do and
 * `HOLDFAST_REDIS_URL` names a server, that one is it, provided that nothing special is asked of it.
 */
export async function bringServer({
  flavour = 'any',
  prefer,
  say,
  ...plan
}: ServerOrder = {}): Promise<Server> {
  const url = process.env['HOLDFAST_REDIS_URL']
  const plain = plan.args === undefined && plan.files === undefined && plan.port === undefined
  if (flavour === 'any' && plain && url !== undefined && url !== '') return GivenServer.reach(url)
  const way = await findWay({ wanted: flavour, group: false }, prefer, say)
  return LaunchedServer.start({ ...plan, way })
}
