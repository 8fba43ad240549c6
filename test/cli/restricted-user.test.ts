/** Users whose ACL names the application's keys and nothing of what lies beside its locks. */
import { describe, expect, it } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { bringServer } from '../servers/index.js'
import { standaloneClient } from '../setup/clients.js'
import { duringAll } from '../setup/during.js'
import { jsonLines } from './json.js'
import { useProgram } from './program.js'

const program = useProgram()
const server = duringAll(() => bringServer({ flavour: 'any', args: [] }))

describe('holdfast for a restricted user', () => {
  it('shows locks of the kinds it may read, and tells of those it may not', async () => {
    const client = standaloneClient({ host: server.host, port: server.port })
    const holdfast = new Holdfast(client)
    await client.call('ACL', 'SETUSER', 'operator', 'on', '>secret', '~app:*', '&*', '+@all')
    const hold = await holdfast.fencedLock('app:plain').acquire()
    await holdfast.readWriteLock('app:shared').readLock().acquire()
    const setting = { url: `redis://operator:secret@${server.host}:${server.port}` }
    const owners = [expect.objectContaining({ owner: hold.owner, holds: 1 })]
    const plain = { name: 'app:plain', kind: 'lock', owners }
    expect(await program.json(['inspect', 'app:plain'], setting)).toMatchObject([plain])
    const listed = await program.run(['ls', 'app:*', '--json'], setting)
    expect(listed.code).toBe(0)
    expect(jsonLines(listed.stdout)).toMatchObject([plain])
    expect(jsonLines(listed.stderr)).toMatchObject([{ event: 'unreadable', unreadable: 1 }])
    expect((await program.run(['run', 'app:other', '--', 'true'], setting)).code).toBe(0)
    // Who may not ask a server for its keys is told so.
    await client.call('ACL', 'SETUSER', 'operator', '-scan')
    expect((await program.run(['ls'], setting)).code).toBe(77)
    await holdfast.close()
    client.disconnect()
  })
})
