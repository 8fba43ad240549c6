/** The head of the page: what it is, where the locks are, whether it is live, light or dark. */
import { useState } from 'preact/hooks'
import type { Standing } from './connection.js'
import { BackIcon, Mark, MoonIcon, SunIcon } from './icons.js'
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

/** What was chosen here stays on this machine; otherwise it is the system's. */
function Theme() {
  const [chosen, choose] = useState(localStorage.getItem('holdfast-colours') ?? '')
  document.documentElement.style.colorScheme = chosen
  const isDark = chosen === '' ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark'
  const other = isDark ? 'light' : 'dark'
  return (
    <button
      type="button"
      class="theme"
      aria-label={`Change to ${other} colours`}
      onClick={() => {
        localStorage.setItem('holdfast-colours', other)
        choose(other)
      }}
    >
      {isDark ? <SunIcon /> : <MoonIcon />}
    </button>
  )
}
