/** The head of the page: what it is, where the locks are, whether it is live, light or dark. */
import { useState } from 'preact/hooks'
import type { Standing } from './connection.js'
import { BackIcon, HalfIcon, Mark, MoonIcon, SunIcon } from './icons.js'
import { lockName, type State } from './state.js'
import { Name } from './words.js'

const texts: Readonly<Record<Standing, string>> = {
  connecting: 'Connecting…',
  live: 'Live',
  away: 'No answer; trying again…',
  refused: 'Not let through: load the page again, to log in.',
}

export function Header({ message, standing, trouble }: State) {
  const isLive = standing === 'live' && trouble === null
  const text = standing === 'live' && trouble !== null ? 'Not live' : texts[standing]
  return (
    <header>
      <a class="brand" href="./" aria-label="Holdfast: all locks">
        <Mark />
        <span>Holdfast</span>
      </a>
      {message && message.server !== '' && <span id="server">{message.server}</span>}
      <span id="connection" role="status" class={isLive ? 'live' : standing === 'connecting' ? '' : 'away'}>
        {text}
      </span>
      <Theme />
      {lockName === undefined ? (
        <h1 id="title" class="unseen" tabIndex={-1}>
          Locks
        </h1>
      ) : (
        <div class="title">
          <a class="up" href="./">
            <BackIcon /> All locks
          </a>
          <h1 id="title" tabIndex={-1}>
            <Name text={lockName.slice(0, 120)} />
          </h1>
        </div>
      )}
    </header>
  )
}

/** What is chosen here stays on this machine. */
const themes = [
  { scheme: '', of: 'the system’s', Sign: HalfIcon },
  { scheme: 'light', of: 'light', Sign: SunIcon },
  { scheme: 'dark', of: 'dark', Sign: MoonIcon },
] as const

function Theme() {
  const [chosen, choose] = useState(localStorage.getItem('holdfast-colours') ?? '')
  const at = Math.max(
    0,
    themes.findIndex(({ scheme }) => scheme === chosen),
  )
  const [now, next] = [themes[at] ?? themes[0], themes[(at + 1) % themes.length] ?? themes[0]]
  document.documentElement.style.colorScheme = now.scheme
  const label = `Colours: ${now.of}. Change to ${next.of}`
  return (
    <button
      type="button"
      class="theme"
      aria-label={label}
      title={label}
      onClick={() => {
        localStorage.setItem('holdfast-colours', next.scheme)
        choose(next.scheme)
      }}
    >
      <now.Sign />
    </button>
  )
}
