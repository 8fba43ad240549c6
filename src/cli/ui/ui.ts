import { createServer, type Server as HttpServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { exitCodes } from '../exit-codes.js'
import { CliError, failureOf } from '../failure.js'
import { firstAnswer } from '../first-answer.js'
import type { Output } from '../output.js'
import type { Server } from '../server.js'
import type { Bindings } from './address.js'
import { appOf } from './app.js'
import { Looker } from './looker.js'
import { pageFiles } from './page-files.js'
import { type UiTerms, urlOf } from './ui-options.js'
import { type Freed, Unlocker } from './unlocker.js'

/** Serves the page until the signal aborts. `shown` is the server's name in messages. */
export async function serveUi(
  server: Server,
  { host, port, token, mayUnlock, historyMs }: UiTerms,
  shown: string,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  await firstAnswer(server.family.greet(), output)
  const told = (error: unknown): string => failureOf(error, shown).message
  const looker = new Looker(server.catalogue, server.family, told, historyMs)
  const app = appOf({
    looker,
    told,
    server: shown,
    files: pageFiles,
    access: token === undefined ? 'this machine' : { token },
    unlocker: mayUnlock ? new Unlocker(server, (freed) => note(freed, output)) : undefined,
  })
  const listener = getRequestListener((request, env: Bindings) => app.fetch(request, env))
  const http = createServer((request, response) => void listener(request, response))
  await listening(http.listen(port, host), host, port)
  const address = http.address()
  const url = urlOf(host, typeof address === 'object' && address !== null ? address.port : port)
  const may = mayUnlock ? 'locks can be freed there' : 'read-only'
  output.result(() => `The locks in ${shown}: ${url} (${may}; Ctrl-C ends it)`, { url, mayUnlock })
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  looker.close()
  http.close()
  http.closeAllConnections()
  return exitCodes.ok
}

function note({ name, kind, unlocked, text }: Freed, output: Output): void {
  output.note('unlocked', `a page freed: ${text}`, { name, kind, unlocked })
}

function listening(http: HttpServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('listening', resolve)
    http.once('error', (cause: NodeJS.ErrnoException) => {
      const taken =
        cause.code === 'EADDRINUSE' ? ': another program listens there. --port 0 takes a free one' : ''
      const text = `cannot listen on ${urlOf(host, port)}${taken || ` (${cause.message})`}.`
      reject(new CliError(exitCodes.unavailable, 'NOT_LISTENING', text, { cause }))
    })
  })
}
