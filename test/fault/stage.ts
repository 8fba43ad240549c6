import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest'
import { bringServer, type Server } from '../servers/index.js'
import type { ClientLibrary } from '../setup/clients.js'
import { Scene } from './scene.js'

/** A server for the tests of this suite alone, which may do anything to it, and for each test a scene before it. */
export function stage(library: ClientLibrary, use: (server: Server, scene: Scene) => void): void {
  let server: Server
  let scene: Scene
  beforeAll(async () => {
    server = await bringServer({ flavour: inject('servers').flavour })
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    scene = await Scene.standalone(library, server)
    use(server, scene)
  })
  afterEach(async () => {
    await server.resume()
    await scene.end()
  })
}
