/* A process of its own on a database file: does what its task says, tells when it has, does so again when it is told to count, and stays until it is told to leave. */
import process from 'node:process'
import { libsqlDriver, nodeDriver } from '../../src/stores/sqlite/driver.js'
import { TestClient } from './client.js'

export interface MemberTask {
  readonly path: string
  /** So often it adds one to the token of each of these rows. */
  readonly counts?: number
  readonly names?: readonly string[]
  /** Answers each message that it hears: to that client, with the same text. */
  readonly answers?: string
  /** Reads the file with libsql, whatever Node it runs on. */
  readonly libsql?: boolean
}

// A store without the core above it keeps no process alive.
process.channel?.ref()
const task: MemberTask = JSON.parse(process.argv[2] ?? '')
const driver = task.libsql ? libsqlDriver() : (nodeDriver() ?? libsqlDriver())
const client = new TestClient(task.path, { driver, commandTimeoutMs: 60_000 })
const { counts = 0, names = [], answers } = task
if (answers !== undefined) {
  client.onMessage = ({ name, text }) => {
    client.tell(answers, name, text).catch((error) => {
      console.error(error)
      process.exit(1)
    })
  }
}
await client.listen()
process.send?.(client.id)
const count = async (): Promise<void> => {
  for (let round = 0; round < counts; round += 1) await Promise.all(names.map((name) => client.count(name)))
  process.send?.('done')
}
await count()
process.on('message', async (order) => {
  if (order === 'count') {
    await count()
    return
  }
  await client.session.close()
  process.disconnect()
})
