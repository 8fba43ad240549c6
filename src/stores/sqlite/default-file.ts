import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'
import process from 'node:process'

/** Where a user's locks are when nobody says where: in the folder for what programs keep of their state. */
export function defaultSqliteFile(
  system: NodeJS.Platform = process.platform,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  home: string = homedir(),
): string {
  const { join, isAbsolute } = system === 'win32' ? win32 : posix
  /** A folder that the user has named; a relative one counts for nothing, as the XDG specification has it. */
  const named = (variable: string): string | undefined => {
    const folder = environment[variable]
    return folder !== undefined && isAbsolute(folder) ? folder : undefined
  }
  const folderOf = (): string => {
    if (system === 'win32') return named('LOCALAPPDATA') ?? join(home, 'AppData', 'Local')
    if (system === 'darwin') return join(home, 'Library', 'Application Support')
    return named('XDG_STATE_HOME') ?? join(home, '.local', 'state')
  }
  return join(folderOf(), 'holdfast', 'locks.db')
}
