import { createContainer, type Permission } from './client/operations.js'
import { codes, isRefusal } from './client/result-codes.js'
import type { ZooKeeperSession } from './client/session.js'

/** How often a folder may vanish before something is in it. */
export const MOST_ATTEMPTS = 5

/** Makes that folder, and those that it is in, where they are missing. The server removes empty ones. */
export async function makeFolder(
  session: ZooKeeperSession,
  path: string,
  acl: readonly Permission[],
): Promise<void> {
  const make = async (): Promise<void> => {
    await session.request(createContainer(path, acl)).catch((error: unknown) => {
      if (!isRefusal(error, codes.nodeExists)) throw error
    })
  }
  await make().catch(async (error: unknown) => {
    const parent = path.slice(0, path.lastIndexOf('/'))
    if (!isRefusal(error, codes.noNode) || parent === '') throw error
    await makeFolder(session, parent, acl)
    await make()
  })
}
