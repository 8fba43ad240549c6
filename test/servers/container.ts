import { randomUUID } from 'node:crypto'
import process from 'node:process'
import { type ContainerRuntimeClient, GenericContainer } from 'testcontainers'
import type { Launcher, LaunchOrder, Running, Signal } from './launch.js'

/** Which program of which image to run, and whether containers can use this machine's network as their own. */
export interface Contained {
  readonly client: ContainerRuntimeClient
  readonly image: string
  readonly program: string
  readonly hostNetwork: boolean
}

/** Starts servers in containers, which work in the server's folder on this machine and as this user. */
export function containerLauncher(contained: Contained): Launcher {
  const listening = contained.hostNetwork
    ? ['--bind', '127.0.0.1']
    : // Within a network of its own; what of it this machine sees is the one port.
      ['--bind', '0.0.0.0', '--protected-mode', 'no']
  return { listening, launch: (order) => launch(contained, order) }
}

async function launch(
  { client, image, program, hostNetwork }: Contained,
  order: LaunchOrder,
): Promise<Running> {
  const name = `holdfast-server-${randomUUID()}`
  order.undo(`docker rm --force --volumes ${name}`)
  const plan = new GenericContainer(image)
    .withName(name)
    // The guard ends it with this process; the container testcontainers would keep for that is not needed.
    .withAutoCleanup(false)
    .withEntrypoint([program])
    .withCommand([...order.args])
    .withBindMounts([{ source: order.dir, target: '/data', mode: 'z' }])
    .withWorkingDir('/data')
  if (process.getuid !== undefined && process.getgid !== undefined)
    plan.withUser(`${process.getuid()}:${process.getgid()}`)
  if (hostNetwork) plan.withNetworkMode('host')
  else plan.withExposedPorts({ container: order.port, host: order.port })
  const started = await plan.start()
  const container = client.container.getById(started.getId())
  const { State } = await container.inspect()
  return {
    pid: hostNetwork ? State.Pid : undefined,
    signal: async (signal: Signal) => {
      await container.kill({ signal }).catch(async (error: unknown) => {
        if ((await container.inspect()).State.Running) throw error
      })
    },
    lastWords: async () => {
      if ((await container.inspect()).State.Running) return undefined
      let printed = ''
      for await (const part of await client.container.logs(container)) printed += String(part)
      return printed.trim()
    },
    discard: async () => {
      await container.remove({ force: true, v: true })
      order.undo('')
    },
  }
}
