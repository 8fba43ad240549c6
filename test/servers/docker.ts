import process from 'node:process'
import type { ContainerRuntimeClient } from 'testcontainers'
import { flavours, oldest, releases } from './flavour.js'
import type { Need, Way } from './launch.js'

/** Asks the Docker engine, if one answers, for an image of the server. */
export async function findDocker({ wanted, group }: Need): Promise<Way | string> {
  // Loaded when it comes to it: it is the greater part of the time a demo would take to start.
  const { getContainerRuntimeClient } = await import('testcontainers')
  const client = await getContainerRuntimeClient().catch(() => undefined)
  if (client === undefined) return 'no engine answers'
  const { operatingSystem, serverVersion } = client.info.containerRuntime
  const hostNetwork = process.platform === 'linux' && !operatingSystem.includes('Docker Desktop')
  if (group && !hostNetwork)
    return 'the engine runs in a machine of its own, where servers cannot share our loopback'

  const { image, program } = releases[wanted === 'any' ? await handiest(client) : wanted]
  const refusal = await provideImage(client, image)
  if (refusal !== undefined) return refusal
  const { containerLauncher } = await import('./container.js')
  return {
    how: 'docker',
    from: `image ${image}, engine ${serverVersion}`,
    launcher: containerLauncher({ client, image, program, hostNetwork }),
  }
}

/** The first flavour whose image the engine has, if it has any. */
async function handiest(client: ContainerRuntimeClient): Promise<keyof typeof releases> {
  const { ImageName } = await import('testcontainers')
  for (const flavour of flavours) {
    if (await client.image.exists(ImageName.fromString(releases[flavour].image))) return flavour
  }
  return oldest
}

async function provideImage(client: ContainerRuntimeClient, image: string): Promise<string | undefined> {
  const { ImageName } = await import('testcontainers')
  try {
    await client.image.pull(ImageName.fromString(image), { force: false, platform: undefined })
    return undefined
  } catch (error) {
    return `the engine has no image ${image} and cannot pull it: ${error instanceof Error ? error.message : error}`
  }
}
