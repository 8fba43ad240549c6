import { randomBytes } from 'node:crypto'
import { type CliError, usageError } from '../failure.js'

export interface UiFlags {
  readonly host: string
  readonly port: number
  readonly token?: string
  readonly allowUnlock: boolean
  /** In milliseconds. */
  readonly history: number
}

export interface UiTerms {
  readonly host: string
  readonly port: number
  readonly token: string | undefined
  readonly mayUnlock: boolean
  readonly historyMs: number
}

/** A history is in memory. */
export const LONGEST_HISTORY_MS = 86_400_000

/** Shorter ones can be guessed. */
const SHORTEST_TOKEN = 16

/** Checks the options before anything is opened. An empty token is none: environments often have variables that are empty. */
export function uiTerms({ host, port, token: given, allowUnlock, history }: UiFlags): UiTerms {
  const token = given || undefined
  if (token !== undefined && !/^[\w.~+/-]+=*$/.test(token))
    throw usageError('A token has letters, digits and . _ ~ + / - only.')
  if (token !== undefined && token.length < SHORTEST_TOKEN)
    throw usageError(`A token has at least ${SHORTEST_TOKEN} characters, such as ${newToken()}`)
  if (token === undefined && !isLoopback(host)) throw withoutToken(host)
  if (history > LONGEST_HISTORY_MS) throw usageError('A history goes back a day at most: --history 86400')
  return { host, port, token, mayUnlock: allowUnlock, historyMs: history }
}

/** Whether only programs of this machine reach that host. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)
}

/** How a browser writes it. */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/`
}

function withoutToken(host: string): CliError {
  return usageError(
    `--host ${host} lets other machines see the locks, which takes a token: HOLDFAST_UI_TOKEN=${newToken()} holdfast ui --host ${host}`,
  )
}

function newToken(): string {
  return randomBytes(18).toString('base64url')
}
