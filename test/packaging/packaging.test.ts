/** The package as it is published: packed once, then installed beside each client library. */
import { beforeAll, describe } from 'vitest'
import { consumerCases } from './consumer.cases.js'
import { type Packed, pack } from './packed.js'
import { Project } from './project.js'
import { tarballCases } from './tarball.cases.js'
import { watchdogThreadCases } from './watchdog-thread.cases.js'

/** Compilers and installers take their time on a machine that runs other tests too. */
const PATIENCE_MS = 180_000

let packed: Packed & AsyncDisposable

beforeAll(async () => {
  packed = await pack()
  return () => packed[Symbol.asyncDispose]()
}, PATIENCE_MS)

tarballCases(() => packed)

// The oldest release the package admits, and the newest.
describe.each(['5.4.0', '6'])('with ioredis %s', (ioredis) => {
  let project: Project

  beforeAll(async () => {
    project = await Project.install(packed.file, { ioredis, '@types/node': '20' })
    return () => project.remove()
  }, PATIENCE_MS)

  consumerCases(() => project)
  watchdogThreadCases(() => project)
})
