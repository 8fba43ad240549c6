/** Times as people say them, with the exact one for who points at them, and the bar of a lease. */
import { useClock } from './clock.js'

/** In the words of who looks: `2 min`. */
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor((seconds % 86_400) / 3_600)]
  const minutes = Math.floor((seconds % 3_600) / 60)
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`
  return minutes > 0 ? `${minutes} min` : `${seconds} s`
}

/** To the second, for what runs down. */
function leftText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds >= 3_600) return spanText(ms)
  return seconds >= 60 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : `${seconds} s`
}

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/** For how long something lasts: `held for 2 min`. */
export function Lasting({ since, orEarlier = false }: { since: number; orEarlier?: boolean }) {
  const { now } = useClock()
  const text = `${orEarlier ? '> ' : ''}${spanText(now - since)}`
  const at = `${orEarlier ? 'since before ' : 'since '}${exact.format(since)}`
  return (
    <time dateTime={new Date(since).toISOString()} title={at}>
      {text}
    </time>
  )
}

/** How long ago something was. */
export function Ago({ at }: { at: string }) {
  const { now } = useClock()
  const time = Date.parse(at)
  const ms = now - time
  return (
    <time dateTime={at} title={exact.format(time)}>
      {ms < 2_000 ? 'now' : `${spanText(ms)} ago`}
    </time>
  )
}

export interface LeaseProps {
  readonly held: boolean
  readonly endsAtMs: number | null
  readonly fullMs: number
}

/** What is left of a lease: a text, and a bar that CSS moves from one second to the next. */
export function Lease({ held, endsAtMs, fullMs }: LeaseProps) {
  const { steadyMs } = useClock()
  if (!held) return null
  if (endsAtMs === null) return <span class="quiet">no end</span>
  const leftMs = Math.max(0, endsAtMs - steadyMs)
  // Less than half a pixel a second.
  const pace = fullMs > 300_000 ? ' slow' : ''
  const share = Math.min(1, leftMs / Math.max(1, fullMs))
  return (
    <span class={`lease${share < 0.2 ? ' late' : ''}${pace}`}>
      <span class="left">{leftMs === 0 ? 'over' : `${leftText(leftMs)} left`}</span>
      <span class="track" aria-hidden="true">
        <span class="bar" style={{ transform: `scaleX(${share.toFixed(4)})` }} />
      </span>
    </span>
  )
}
