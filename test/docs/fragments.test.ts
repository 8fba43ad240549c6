/** The blocks in the pages that are no complete programs run too, among the names that a reader takes for granted: see fragment-prelude.ts. */
import { basename } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { Program } from '../examples/program.js'
import { withAdmin } from '../servers/admin.js'
import { bringServer, type Server } from '../servers/index.js'
import { isOfVitest, Project } from './project.js'
import { allSnippets, type Snippet } from './snippet.js'
import { Surroundings } from './surroundings.js'

const fragments = allSnippets().filter(({ example }) => example === undefined)
const surroundings = new Surroundings()
const servers: Server[] = []
let project: Project

beforeAll(async () => {
  const flavour = inject('servers').flavour
  servers.push(...(await Promise.all([1, 2, 3].map(() => bringServer({ flavour })))))
  project = await Project.create()
})
afterAll(async () => {
  await surroundings.end()
  await Promise.all([...servers.map((server) => server.stop()), project?.remove()])
})

/** Some leave locks held. */
beforeEach(async () => {
  for (const server of servers) await withAdmin(server, (command) => command('FLUSHALL'))
})

/** The servers that pages name by addresses of their own. */
function network(): Record<string, number> {
  const [one, two, three] = servers.map(({ port }) => port)
  const [sentinel] = inject('servers').sentinel.sentinels
  if (!(one && two && three && sentinel)) throw new Error('there are servers')
  return {
    ...{ 'localhost:6379': one, '127.0.0.1:6379': one, '10.0.0.1:6379': one },
    ...{ 'redis-a:6379': one, 'redis-b:6379': two, 'redis-c:6379': three },
    ...{ '127.0.0.1:26379': sentinel.port, '10.0.0.1:26379': sentinel.port },
  }
}

/** The contract is run by Vitest, and one rule of it shows that it is found. */
function commandFor(file: string, { code }: Snippet): [string, string[]] {
  if (!isOfVitest(code)) return [file, []]
  const options = [basename(file), '--root', project.dir, '--testNamePattern', 'O1:']
  return ['node_modules/vitest/vitest.mjs', ['run', ...options]]
}

test.each(fragments.map((fragment): [string, Snippet] => [`${fragment.page}:${fragment.line}`, fragment]))(
  '%s runs',
  { timeout: 60_000 },
  async (_, fragment) => {
    const file = await project.addFragment(fragment)
    const [server] = servers
    const program = new Program(...commandFor(file, fragment), {
      HOLDFAST_REDIS_URL: server?.url ?? '',
      NETWORK: JSON.stringify(network()),
      PORT: '0',
      ...(await surroundings.of(fragment)),
    })
    const { code, stderr } = await program.endWithin(30_000)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  },
)
