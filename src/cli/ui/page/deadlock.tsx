/** A deadlock as a drawing: who holds what, and waits for what, in a ring. */
import type { Corner, Link } from '../picture.js'
import { WarningIcon } from './icons.js'
import { Lasting } from './times.js'

export function Deadlocks({ deadlocks }: { deadlocks: ReadonlyArray<readonly Link[]> }) {
  if (deadlocks.length === 0) return null
  return (
    <section id="deadlocks" class="panel deadlocks" aria-labelledby="deadlocks-title">
      <h2 id="deadlocks-title">
        <WarningIcon /> Deadlock
      </h2>
      {deadlocks.map((cycle) => (
        <div class="cycle" key={cycle.map(({ text }) => text).join()}>
          <div>
            <Ring cycle={cycle} />
            <p class="legend quiet small" aria-hidden="true">
              <span class="waits">waits for</span> <span class="holds">is held by</span>
            </p>
          </div>
          <div>
            <p>
              These wait for each other, and would for ever. Free one of the locks, or end one of the
              programs.
            </p>
            <ol>
              {cycle.map((link) => (
                <li key={link.text}>
                  {link.text}{' '}
                  <span class="quiet small">
                    For <Lasting since={link.since} />
                  </span>
                </li>
              ))}
            </ol>
          </div>
        </div>
      ))}
    </section>
  )
}

const WIDTH = 360
const [BOX, TALL] = [112, 32]
/** Of more the sentences beside it tell. */
const MOST = 6

interface Point {
  readonly x: number
  readonly y: number
}

/** Around an ellipse: an owner, the lock it waits for, the owner that has it, and so on. */
function Ring({ cycle }: { cycle: readonly Link[] }) {
  if (cycle.length > MOST) return null
  const count = cycle.length * 2
  const height = 100 + 42 * cycle.length
  const points = Array.from({ length: count }, (_, index): Point => {
    const angle = (index / count) * 2 * Math.PI - Math.PI / 2 - (count === 4 ? Math.PI / 4 : 0)
    const [rx, ry] = [(WIDTH - BOX) / 2 - 4, (height - TALL) / 2 - 4]
    return { x: WIDTH / 2 + rx * Math.cos(angle), y: height / 2 + ry * Math.sin(angle) }
  })
  const at = (index: number): Point => points[index % count] ?? { x: 0, y: 0 }
  return (
    <svg class="ring" viewBox={`0 0 ${WIDTH} ${height}`}>
      <title>The ring as a drawing</title>
      <defs>
        {(['waits', 'holds'] as const).map((kind) => (
          <marker
            key={kind}
            id={`tip-${kind}`}
            class={kind}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8Z" />
          </marker>
        ))}
      </defs>
      {cycle.map((link, index) => (
        <g key={link.text}>
          <Arrow from={at(2 * index)} to={at(2 * index + 1)} kind="waits" />
          <Arrow from={at(2 * index + 1)} to={at(2 * index + 2)} kind="holds" />
        </g>
      ))}
      {cycle.map((link, index) => (
        <g key={link.text}>
          <Box at={at(2 * index)} text={link.who} kind="owner" />
          <LockBox at={at(2 * index + 1)} lock={link.waitsFor} />
        </g>
      ))}
    </svg>
  )
}

/** From the edge of one box to that of the other. */
function Arrow({ from, to, kind }: { from: Point; to: Point; kind: 'waits' | 'holds' }) {
  const [start, end] = [edgeOf(from, to), edgeOf(to, from)]
  return (
    <line
      class={`arrow ${kind}`}
      x1={start.x}
      y1={start.y}
      x2={end.x}
      y2={end.y}
      marker-end={`url(#tip-${kind})`}
    >
      <title>{kind === 'waits' ? 'waits for' : 'is held by'}</title>
    </line>
  )
}

function edgeOf(from: Point, to: Point): Point {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const share = Math.min(
    (BOX / 2 + 4) / Math.max(1, Math.abs(dx)),
    (TALL / 2 + 4) / Math.max(1, Math.abs(dy)),
  )
  return { x: from.x + dx * share, y: from.y + dy * share }
}

function LockBox({ at, lock }: { at: Point; lock: Corner }) {
  const box = <Box at={at} text={lock.name} kind="lock" />
  return lock.href === null ? box : <a href={lock.href}>{box}</a>
}

function Box({ at, text, kind }: { at: Point; text: string; kind: string }) {
  const shown = text.length > 15 ? `${text.slice(0, 6)}…${text.slice(-7)}` : text
  return (
    <>
      <title>{text}</title>
      <rect
        class={`box ${kind}`}
        x={at.x - BOX / 2}
        y={at.y - TALL / 2}
        width={BOX}
        height={TALL}
        rx={kind === 'owner' ? TALL / 2 : 7}
      />
      <text class={`name ${kind}`} x={at.x} y={at.y} dy="5">
        {shown}
      </text>
    </>
  )
}
