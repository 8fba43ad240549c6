import process from 'node:process'
import { defaultSqliteFile } from '../sqlite/default-file.js'
import { parseServerUrl, type ServerAddress } from './server-address.js'
import { badUrl } from './server-url.js'

/** Where the locks are when nobody says so in words of the program: where the environment says, or else in a file of this user. */
export function presentAddress(): ServerAddress {
  const { HOLDFAST_URL, HOLDFAST_REDIS_URL } = process.env
  return parseServerUrl(HOLDFAST_URL || HOLDFAST_REDIS_URL || ownFile())
}

/** The file of this user, unless it would be another place than that of the `holdfast run` that has started this. */
function ownFile(): string {
  const file = `sqlite:${defaultSqliteFile()}`
  const { HOLDFAST_SERVER: outer = file } = process.env
  if (outer === file) return file
  const found = `is missing: the holdfast run that has started this uses ${outer}, and does not pass on its URL, which may have a password`
  throw badUrl(found, 'one in HOLDFAST_URL, or after --url')
}
