import { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { bringServer, type Server } from '../servers/index.js'
import { Wire } from '../wire/wire.js'

let server: Server
let wire: Wire
let client: Redis
let holdfast: Holdfast

beforeEach(async () => {
  server = await bringServer()
  wire = await Wire.before(server)
  client = new Redis({ host: wire.host, port: wire.port, lazyConnect: true })
  holdfast = new Holdfast(client)
})

afterEach(async () => {
  await holdfast.close()
  client.disconnect()
  wire.stop()
  await server.stop()
})

test('chaos 5038: a multi-lock’s first members are kept from ending over a distance of two fifths of the lease', async () => {
  const lock = holdfast.multiLock([
    holdfast.fairLock('first'),
    holdfast.lock('second'),
    holdfast.fairLock('third'),
  ])
  await lock.withLock(async () => undefined)
  wire.delayMs = 200
  const hold = await lock.acquire({ leaseMs: 1_000, waitMs: 8_000 })
  expect(hold.remainingMs()).toBeGreaterThan(0)
  wire.delayMs = 0
  await hold.release()
})
