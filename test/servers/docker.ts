import process from 'node:process'
import { type Flavour, flavours, oldest, releases } from './flavour.js'
import type { Need, Way } from './launch.js'

export async function findDocker({ wanted, group }: Need): Promise<Way | string> {
  // Loaded when it comes to it: it is the greater part of the time a demo would take to start.
  const { getContainerRuntimeClient, ImageName } = await import('testcontainers')
  const client = await getContainerRuntimeClient().catch(() => undefined)
  if (client === undefined) return 'no engine answers'
  const { operatingSystem, serverVersion } = client.info.containerRuntime
  const hostNetwork = process.platform === 'linux' && !operatingSystem.includes('Docker Desktop')
  if (group && !hostNetwork)
    return 'the engine runs in a machine of its own, where servers cannot share our loopback'

  const named = (flavour: Flavour): InstanceType<typeof ImageName> =>
    ImageName.fromString(releases[flavour].image)
  let flavour = wanted === 'any' ? oldest : wanted
  if (wanted === 'any') {
    // The first whose image the engine has, if it has any.
    const has = await Promise.all(flavours.map((each) => client.image.exists(named(each))))
    flavour = flavours[has.indexOf(true)] ?? oldest
  }
  const { image, program } = releases[flavour]
  try {
    await client.image.pull(named(flavour), { force: false, platform: undefined })
  } catch (error) {
    return `the engine has no image ${image} and cannot pull it: ${error instanceof Error ? error.message : error}`
  }
  const { containerLauncher } = await import('./container.js')
  return {
    how: 'docker',
    from: `image ${image}, engine ${serverVersion}`,
    launcher: containerLauncher({ client, image, program, hostNetwork }),
  }
}
