import { afterEach, inject } from 'vitest'
import { bringServer, type Server } from '../servers/index.js'
import type { ClientLibrary } from '../setup/clients.js'
import { duringAll, duringEach } from '../setup/during.js'
import { Scene } from './scene.js'

/** A server for the tests of this suite alone, which may do anything to it, and for each test a scene before it. */
export function stage(library: ClientLibrary): { readonly server: Server; readonly scene: Scene } {
  const server = duringAll(() => bringServer({ flavour: inject('servers').flavour }))
  const scene = duringEach(() => Scene.standalone(library, server))
  afterEach(() => server.resume())
  return { server, scene }
}
