/**
 * The page of `holdfast ui`. What any program may have chosen, a name or an owner, becomes text here and nothing else: no markup is ever made
 * of it. The page keeps what it shows in the elements; an element lives as long as its lock is shown, so that the focus stays.
 *
 * @typedef {import('../picture.ts').Message} Message
 * @typedef {import('../row.ts').Row} Row
 * @typedef {import('../row.ts').Several} Several
 * @typedef {import('../journal.ts').Entry} Entry
 */

import { as, byId, element, sync } from './elements.js'

const MOST_CHANGES = 200
/** The program says something at least every 15 seconds. */
const SILENCE_MS = 40_000
const AGAIN_MS = 2_000

const query = new URLSearchParams(location.search)
const lockName = location.pathname.endsWith('/lock') ? (query.get('name') ?? '') : undefined

const filter = as('filter', HTMLInputElement)
const unlockDialog = as('unlock', HTMLDialogElement)
const loginDialog = as('login', HTMLDialogElement)
const tokenInput = as('token', HTMLInputElement)

/** The last change that was shown, so that no connection tells it again. */
let lastChange = 0
/** What is added to the program's clock to make it this page's. */
let offsetMs = 0
let mayUnlock = false
let connection = new AbortController()

// --- What is shown

/** @param {Message} message */
function show({
  rows,
  hidden,
  isAll,
  unreadable,
  trouble,
  deadlocks,
  changes,
  nowMs,
  server,
  mayUnlock: may,
}) {
  offsetMs = performance.now() - nowMs
  mayUnlock = may
  byId('server').textContent = `in ${server}`
  byId('connection').textContent = trouble === null ? 'Live' : 'Not live'
  const troubled = byId('trouble')
  troubled.hidden = trouble === null
  if (troubled.textContent !== (trouble ?? '')) troubled.textContent = trouble ?? ''
  showDeadlocks(deadlocks)
  if (lockName === undefined) {
    byId('summary').hidden = trouble !== null && rows.length === 0
    byId('summary').textContent = summary(rows, hidden, isAll, unreadable)
    sync(byId('rows'), rows, lineOf)
  } else {
    byId('nothing').hidden = rows.length > 0
    byId('nothing').textContent = isAll ? 'Nobody holds it, and nobody waits for it.' : 'Looking…'
    sync(byId('locks'), rows, cardOf)
  }
  tick()
  tell(changes)
}

/** @param {Message['deadlocks']} deadlocks */
function showDeadlocks(deadlocks) {
  const cycles = byId('cycles')
  const text = JSON.stringify(deadlocks)
  if (cycles.dataset['shown'] === text) return
  cycles.dataset['shown'] = text
  byId('deadlocks').hidden = deadlocks.length === 0
  cycles.replaceChildren(
    ...deadlocks.map((cycle) =>
      element(
        'ol',
        '',
        cycle.map((sentence) => element('li', '', sentence)),
      ),
    ),
  )
  if (deadlocks.length > 0) byId('news').textContent = `Deadlock. ${deadlocks.flat().slice(0, 3).join(' ')}`
}

/**
 * @param {readonly Row[]} rows
 * @param {number} hidden
 * @param {boolean} isAll
 * @param {number} unreadable
 */
function summary(rows, hidden, isAll, unreadable) {
  const shown = rows.length
  const busy = rows.filter(({ state }) => state !== 'free').length
  const left = unreadable === 0 ? '' : ` ${unreadable} more cannot be read by this user.`
  if (hidden > 0) {
    const all = `${isAll ? '' : 'at least '}${(shown + hidden).toLocaleString('en')}`
    return `The first ${shown} of ${all} locks, by name. The filter finds the others.${left}`
  }
  if (busy > 0) return `${busy} ${busy === 1 ? 'lock' : 'locks'}${isAll ? '' : ' so far'}.${left}`
  if (!isAll) return 'Looking…'
  return `No lock is held${filter.value === '' ? '' : ' whose name matches'}.${left}`
}

/** @param {Row} row */
function lineOf(row) {
  const holder = row.held ? severalText(row.holders) || 'not known' : row.state
  return element('tr', row.held ? '' : 'free', [
    element('th', '', [nameOf(row)], { scope: 'row' }),
    element('td', '', row.kind),
    element('td', '', holder),
    element('td', 'number', row.waiting === null ? 'unknown' : `${row.waiting}`),
    leftOf(row, 'td'),
  ])
}

/** @param {Row} row */
function nameOf({ name, href }) {
  return href === null
    ? element('span', '', name, {
        title: 'This name is too long for a page of its own: see holdfast inspect.',
      })
    : element('a', '', name, { href })
}

/** @param {Row} row */
function cardOf(row) {
  /** @type {Array<readonly [string, Node | string]>} */
  const facts = [
    ['State', row.state],
    ['Holders', listOf('ul', row.holders)],
    ['Time left', leftOf(row, 'div')],
    ['Waiting', row.waiting === null ? 'unknown' : `${row.waiting}`],
    ['In line', listOf('ol', row.line)],
    ['Fencing token', row.fence ?? 'none'],
    ['Permits available', row.available === null ? 'none' : `${row.available}`],
  ]
  const has = {
    Holders: row.holders.named.length > 0,
    'Time left': row.held,
    'In line': row.line.named.length > 0,
    'Fencing token': row.fence !== null,
    'Permits available': row.available !== null,
  }
  const shown = facts.filter(([label]) => !(label in has) || has[/** @type {keyof typeof has} */ (label)])
  const button = element('button', 'danger', `Free this ${row.kind}…`, { type: 'button' })
  button.hidden = !mayUnlock || row.unlock === null
  return element('article', row.held ? '' : 'free', [
    element('h2', '', row.kind),
    element(
      'dl',
      '',
      shown.flatMap(([label, value]) => [
        element('dt', '', label),
        element('dd', '', typeof value === 'string' ? value : [value]),
      ]),
    ),
    button,
  ])
}

/**
 * The time left: a text and a bar, which `tick` keeps going.
 *
 * @param {Row} row
 * @param {string} tag
 */
function leftOf({ held, endsAtMs, fullMs }, tag) {
  if (endsAtMs === null) return element(tag, 'left', held ? 'no end' : '')
  return element(
    tag,
    'left',
    [
      element('span', 'time', ''),
      element('span', 'track', [element('span', 'bar', '')], { 'aria-hidden': 'true' }),
    ],
    { 'data-ends': `${endsAtMs}`, 'data-full': `${fullMs}` },
  )
}

/** Moves all bars: from one tick to the next by CSS. */
function tick() {
  for (const left of document.querySelectorAll('[data-ends]')) {
    if (!(left instanceof HTMLElement)) continue
    const { ends, full } = left.dataset
    const leftMs = Math.max(0, Number(ends) + offsetMs - performance.now())
    const share = Math.min(1, leftMs / Math.max(1, Number(full)))
    const text = left.querySelector('.time')
    const bar = left.querySelector('.bar')
    const shown = leftMs === 0 ? 'over' : timeText(leftMs)
    if (text && text.textContent !== shown) text.textContent = shown
    if (bar instanceof HTMLElement) bar.style.transform = `scaleX(${share})`
    left.classList.toggle('late', share < 0.2)
  }
}

/** @param {number} ms */
function timeText(ms) {
  const seconds = Math.ceil(ms / 1000)
  const days = Math.floor(seconds / 86_400)
  const hours = Math.floor((seconds % 86_400) / 3_600)
  const minutes = Math.floor((seconds % 3_600) / 60)
  if (days > 0) return `${days} d ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}

/** @param {readonly Entry[]} changes */
function tell(changes) {
  const fresh = changes.filter(({ number }) => number > lastChange)
  if (fresh.length === 0) return
  lastChange = fresh.at(-1)?.number ?? lastChange
  const list = byId('changes')
  for (const { at, name, what, text } of fresh) {
    const when = element('time', '', new Date(at).toLocaleTimeString('en-GB'), { datetime: at })
    const about = lockName === undefined ? `${name} ` : 'It '
    list.prepend(element('li', what, [when, document.createTextNode(` ${about}${text}.`)]))
  }
  while (list.children.length > MOST_CHANGES) list.lastElementChild?.remove()
  byId('no-changes').hidden = true
  // A reader of a screen hears a few of them, or how many there were.
  const spoken = fresh.slice(-3).map(({ name, text }) => `${name} ${text}.`)
  byId('news').textContent =
    fresh.length > 3 ? `${fresh.length} changes. The last: ${spoken.at(-1)}` : spoken.join(' ')
}

/** @param {Several} several */
function severalText({ named, more }) {
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/**
 * @param {string} tag
 * @param {Several} several
 */
function listOf(tag, { named, more }) {
  const items = [...named, ...(more > 0 ? [`and ${more} more`] : [])]
  return element(
    tag,
    '',
    items.map((text) => element('li', '', text)),
  )
}

// --- What is sent

/** @returns {Record<string, string>} */
function authorization() {
  const token = sessionStorage.getItem('token')
  return token === null ? {} : { Authorization: `Bearer ${token}` }
}

/** Asks for the token, which stays in this tab. @param {boolean} again */
function askForToken(again) {
  if (again) byId('login-text').textContent = 'That is not the token.'
  tokenInput.value = ''
  if (!loginDialog.open) loginDialog.showModal()
  return new Promise((resolve) => {
    loginDialog.addEventListener(
      'close',
      () => {
        if (tokenInput.value !== '') sessionStorage.setItem('token', tokenInput.value)
        resolve(undefined)
      },
      { once: true },
    )
  })
}

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Receives pictures for as long as the page is open. */
async function follow() {
  for (;;) {
    connection = new AbortController()
    const { signal } = connection
    try {
      await receive(signal)
    } catch {
      // The connection broke, or another filter is wanted.
    }
    if (signal.aborted) continue
    byId('connection').textContent = 'holdfast ui does not answer; trying again…'
    await pause(AGAIN_MS)
  }
}

/** @param {AbortSignal} signal */
async function receive(signal) {
  const subject = new URLSearchParams(lockName === undefined ? { filter: filter.value } : { name: lockName })
  subject.set('after', `${lastChange}`)
  const headers = authorization()
  const response = await fetch(`events?${subject}`, { headers, signal })
  if (response.status === 401 || (response.status === 400 && 'Authorization' in headers)) {
    await askForToken('Authorization' in headers)
    return await receive(signal)
  }
  if (!response.ok || !response.body) {
    byId('trouble').hidden = false
    byId('trouble').textContent = await response.text()
    return
  }
  const silent = connection
  let rest = ''
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const late = setTimeout(() => silent.abort(), SILENCE_MS)
    const { done, value } = await reader.read()
    clearTimeout(late)
    if (done) return
    const events = (rest + value).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) if (event.startsWith('data: ')) show(JSON.parse(event.slice(6)))
  }
}

/**
 * Frees a lock, once that is confirmed.
 *
 * @param {Row} row
 */
async function unlock({ name, kind, holders, unlock: terms }) {
  if (terms === null || lockName === undefined) return
  byId('unlock-title').textContent = `Free the ${kind} “${name}”?`
  byId('unlock-text').textContent = `It is held by ${severalText(holders) || 'an unknown owner'}.`
  unlockDialog.returnValue = 'no'
  unlockDialog.showModal()
  await new Promise((resolve) => unlockDialog.addEventListener('close', resolve, { once: true }))
  if (unlockDialog.returnValue !== 'yes') return
  const body = new URLSearchParams({ name: lockName, kind: terms.kind, holders: terms.holders })
  try {
    const response = await fetch('unlock', { method: 'POST', body, headers: authorization() })
    answer(await response.text())
  } catch {
    answer('holdfast ui does not answer: nobody knows whether the lock was freed.')
  }
}

/** What came of freeing a lock. @param {string} text */
function answer(text) {
  byId('answer').textContent = text
  byId('answer').hidden = false
}

// --- The start

byId('locks').addEventListener('click', ({ target }) => {
  const card = target instanceof HTMLButtonElement ? target.closest('article') : null
  if (card?.dataset['row'] !== undefined) unlock(JSON.parse(card.dataset['row']))
})

/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing
filter.addEventListener('input', () => {
  clearTimeout(typing)
  typing = setTimeout(() => {
    const address = filter.value === '' ? './' : `?${new URLSearchParams({ filter: filter.value })}`
    history.replaceState(null, '', address)
    connection.abort()
  }, 300)
})

byId('open').addEventListener('submit', (event) => {
  event.preventDefault()
  location.href = `lock?${new URLSearchParams({ name: as('name', HTMLInputElement).value })}`
})

if (lockName === undefined) {
  filter.value = query.get('filter') ?? ''
  byId('list').hidden = false
} else {
  byId('one').hidden = false
  byId('title').textContent = lockName.slice(0, 120)
  document.title = `${lockName.slice(0, 120)} · Holdfast`
}

setInterval(tick, 1_000)
follow()
