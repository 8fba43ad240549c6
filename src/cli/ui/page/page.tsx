/**
 * The live page. What any program may have chosen, a name or an owner, becomes text here and nothing else: no markup is ever made of it. Rows
 * keep their elements for as long as their locks are shown, so that the focus stays.
 */
import { render } from 'preact'
import type { Sort } from '../picture.js'
import { Changes } from './changes.js'
import { ClockContext, readClock, setClock } from './clock.js'
import { follow, free, reconnect, type Standing } from './connection.js'
import { Deadlocks } from './deadlock.js'
import { Outcome, Question } from './freeing.js'
import { Header } from './header.js'
import { HeldUp } from './held-up.js'
import { List, type ListActions } from './list.js'
import { Locks } from './lock.js'
import { Login, type Wanted } from './login.js'
import { Outage } from './outage.js'
import { addressOf, isStale, lockName, type State, start, titleOf, told } from './state.js'
import { Tiles, TrafficTiles } from './tiles.js'

const TYPING_MS = 300

let state: State = start
let wanted: Wanted | null = null
let typing: ReturnType<typeof setTimeout> | undefined
let ticking: ReturnType<typeof setTimeout> | undefined

function update(change: Partial<State>): void {
  state = { ...state, ...change }
  draw()
}

/** Another list is wanted. */
function turn(change: Partial<Pick<State, 'filter' | 'sort' | 'page'>>): void {
  const { message } = state
  // Whether there are others is not known yet.
  update({ ...change, message: message && 'filter' in change ? { ...message, isAll: false } : message })
  history.replaceState(null, '', addressOf(state))
  reconnect()
}

const actions: ListActions = {
  find(filter) {
    clearTimeout(typing)
    typing = setTimeout(() => turn({ filter, page: 0 }), TYPING_MS)
  },
  sortBy: (sort: Sort) => turn({ sort, page: 0 }),
  turnTo: (page) => turn({ page }),
}

async function decide(yes: boolean): Promise<void> {
  const { freeing } = state
  const terms = freeing?.row.unlock
  if (!yes || !freeing || !terms || lockName === undefined) return update({ freeing: null })
  update({ freeing: { ...freeing, ...(await free(lockName, terms.kind, terms.holders)) } })
}

function App() {
  const { message, changes, news, freeing, seen } = state
  const clock = readClock()
  const stale = isStale(state)
  return (
    <ClockContext.Provider value={stale && seen ? seen : clock}>
      <Header {...state} />
      <main class={stale ? 'stale' : ''}>
        <ClockContext.Provider value={clock}>
          <Outage {...state} />
        </ClockContext.Provider>
        <Outcome freeing={freeing} message={message} />
        {message && <Tiles {...message} />}
        {message?.traffic && <TrafficTiles {...message.traffic} />}
        <Deadlocks deadlocks={message?.deadlocks ?? []} />
        {message && <HeldUp {...message} />}
        <div class="halves">
          {lockName === undefined ? (
            <List {...state} actions={actions} />
          ) : (
            <Locks message={message} free={(row) => update({ freeing: { row } })} />
          )}
          <Changes changes={changes} since={message?.since} />
        </div>
        <p id="news" class="unseen" role="status">
          {news}
        </p>
      </main>
      <Question freeing={freeing} decide={decide} />
      <Login wanted={wanted} />
    </ClockContext.Provider>
  )
}

/** Draws what is known. The focus stays with its row wherever that goes, and is at the title if the row is gone. */
function draw(): void {
  const { activeElement } = document
  document.title = titleOf(state)
  const key = activeElement?.closest<HTMLElement>('[data-key]')?.dataset['key']
  render(<App />, document.body)
  if (key === undefined || document.activeElement === activeElement) return
  const row = [...document.querySelectorAll<HTMLElement>('[data-key]')].find(
    (each) => each.dataset['key'] === key,
  )
  const place = row?.querySelector<HTMLElement>('a, button') ?? document.getElementById('title')
  place?.focus()
}

/** Times go on while the program tells nothing; where it tells something each second, that is enough. */
function tick(afterMs: number): void {
  clearTimeout(ticking)
  ticking = setTimeout(() => {
    draw()
    tick(1_000)
  }, afterMs)
}

document.body.replaceChildren()
draw()
tick(1_000)
void follow({
  query() {
    const { filter, sort, page, changes } = state
    const subject: { [key: string]: string } =
      lockName === undefined ? { filter, sort, page: `${page}` } : { name: lockName }
    return new URLSearchParams({ ...subject, after: `${changes[0]?.number ?? 0}` })
  },
  show(message) {
    setClock(message.now, message.nowMs)
    state = told(state, message)
    draw()
    tick(1_500)
  },
  stand: (standing: Standing, text) => update({ standing, ...(text !== undefined && { trouble: text }) }),
  async askForToken(again) {
    await new Promise<void>((given) => {
      wanted = { again, given }
      draw()
    })
    wanted = null
  },
})
