/** What is sent to the program, and what it tells for as long as the page is open. */
import type { Message } from '../picture.js'

/** The program says something at least every 15 seconds. */
const SILENCE_MS = 40_000
const AGAIN_MS = 2_000

/** How the page stands with the program: `refused` where an application has stopped letting this page through. */
export type Standing = 'connecting' | 'live' | 'away' | 'refused'

export interface Listener {
  /** What the page is about now. */
  query(): URLSearchParams
  show(message: Message): void
  stand(standing: Standing, text?: string): void
  /** Asks for the token, again if the last was none; settles when there is one. */
  askForToken(again: boolean): Promise<void>
}

let connection = new AbortController()

/** The page is about something else: what follows is about that. */
export function reconnect(): void {
  connection.abort()
}

/** The token stays in this tab. */
export function keepToken(token: string): void {
  sessionStorage.setItem('token', token)
}

function authorization(): { Authorization?: string } {
  const token = sessionStorage.getItem('token')
  return token === null ? {} : { Authorization: `Bearer ${token}` }
}

/** Receives pictures for as long as the page is open. */
export async function follow(listener: Listener): Promise<never> {
  for (;;) {
    connection = new AbortController()
    const { signal } = connection
    try {
      await receive(listener, connection)
    } catch {
      // The connection broke, or the page is about something else.
    }
    if (signal.aborted) continue
    listener.stand('away')
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
}

async function receive(listener: Listener, controller: AbortController): Promise<void> {
  const headers = authorization()
  const { signal } = controller
  const response = await fetch(`events?${listener.query()}`, { headers, signal })
  const wantsToken = response.headers.get('WWW-Authenticate')?.startsWith('Bearer') ?? false
  if (wantsToken) {
    await listener.askForToken('Authorization' in headers)
    return await receive(listener, controller)
  }
  const isOurs = response.headers.get('Content-Type')?.startsWith('text/event-stream') ?? false
  if (!response.ok || !isOurs || !response.body) {
    // What the program says itself is text; a login page of the application's is not to be read here.
    const says = response.headers.get('Content-Type')?.startsWith('text/plain') && !response.redirected
    listener.stand(response.status >= 500 ? 'away' : 'refused', says ? await response.text() : undefined)
    return await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
  let rest = ''
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const late = setTimeout(() => controller.abort(), SILENCE_MS)
    const { done, value } = await reader.read()
    clearTimeout(late)
    if (done) return
    const events = (rest + value).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) if (event.startsWith('data: ')) listener.show(JSON.parse(event.slice(6)))
  }
}

export interface Answer {
  readonly done: boolean
  readonly text: string
}

/** Frees a lock, if it is as it was shown. */
export async function free(name: string, kind: string, holders: string): Promise<Answer> {
  const body = new URLSearchParams({ name, kind, holders })
  try {
    const response = await fetch('unlock', { method: 'POST', body, headers: authorization() })
    return { done: response.ok, text: await response.text() }
  } catch {
    return { done: false, text: 'There is no answer: nobody knows whether the lock was freed.' }
  }
}
