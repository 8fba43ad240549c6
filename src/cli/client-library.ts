import { exitCodes } from './exit-codes.js'
import { CliError } from './failure.js'

/** A library that not everybody needs: an optional peer dependency of this one, so it may be missing. `name` may be several, as for npm. */
export async function clientLibrary<Library>(name: string, load: () => Promise<Library>): Promise<Library> {
  try {
    return await load()
  } catch (cause) {
    throw new CliError(
      exitCodes.notInstalled,
      'NO_CLIENT',
      `${name} could not be loaded. Install it beside holdfast: npm install ${name}`,
      { cause },
    )
  }
}
