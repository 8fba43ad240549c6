/** The package as it is published: packed once, then installed beside each client library. */
import { describe } from 'vitest'
import { duringAll } from '../setup/during.js'
import { consumerCases } from './consumer.cases.js'
import { PATIENCE_MS, pack } from './packed.js'
import { Project } from './project.js'
import { tarballCases } from './tarball.cases.js'

const packed = duringAll(pack, PATIENCE_MS)

tarballCases(packed)

// The oldest release the package admits, and the newest.
describe.each(['5.4.0', '6'])('with ioredis %s', (ioredis) => {
  consumerCases(duringAll(() => Project.install(packed.file, { ioredis, '@types/node': '20' }), PATIENCE_MS))
})
