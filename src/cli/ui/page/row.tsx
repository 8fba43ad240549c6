/** A lock in the list: a row of a table, and on a phone a card. */
import type { Row, Several } from '../row.js'
import { WarningIcon } from './icons.js'
import { Lasting, Lease } from './times.js'
import { KindBadge, Name } from './words.js'

export function LockRow({ row, isDeadlocked }: { row: Row; isDeadlocked: boolean }) {
  const tone = isDeadlocked ? 'deadlocked' : !row.held ? 'free' : row.waiting ? 'contended' : ''
  return (
    <tr class={tone} data-key={row.key}>
      <th scope="row" class="lock">
        <div class="named">
          <LockLink {...row} />
          <KindBadge kind={row.kind} />
          {isDeadlocked && (
            <span class="badge alarm">
              <WarningIcon /> deadlock
            </span>
          )}
        </div>
      </th>
      <td class="holder" data-label="Holder">
        {row.held ? <Holder {...row} /> : <span class="quiet">{row.state}</span>}
      </td>
      <td class="age" data-label="Held for">
        {row.since === null ? (
          <span class="quiet">–</span>
        ) : (
          <Lasting since={row.since} orEarlier={row.orEarlier} />
        )}
      </td>
      <td class="waiters" data-label="Waiting">
        <Waiters {...row} />
      </td>
      <td class="rest" data-label="Lease">
        <Lease {...row} />
      </td>
    </tr>
  )
}

function LockLink({ name, href }: Row) {
  if (href !== null)
    return (
      <a class="cut" href={href} title={name}>
        <Name text={name} />
      </a>
    )
  return (
    <span class="cut" title="This name is too long for a page of its own: see holdfast inspect.">
      {name}
    </span>
  )
}

function Holder({ holders, state, available }: Row) {
  const [first] = holders.named
  const remarks = [
    ...(first?.mode ? [`to ${first.mode}`] : []),
    ...(holders.more > 0 ? [`and ${holders.more} more`] : []),
    ...(available !== null ? [`${available} left`] : []),
  ]
  return (
    <>
      {first ? (
        <span class="cut" title={first.owner}>
          {first.who}
        </span>
      ) : state === 'held' ? (
        'not known'
      ) : (
        state
      )}
      {remarks.length > 0 && <span class="quiet small">{remarks.join(', ')}</span>}
    </>
  )
}

function Waiters({ waiting, waitsSince }: Row) {
  if (waiting === null) return <span class="quiet">unknown</span>
  if (waiting === 0) return <span class="quiet">0</span>
  return (
    <>
      <span class="count">{waiting.toLocaleString('en')}</span>
      {waitsSince !== null && (
        <span class="quiet small">
          {' '}
          for <Lasting since={waitsSince} />
        </span>
      )}
    </>
  )
}

export function partiesText({ named, more }: Several): string {
  const texts = named.map(({ who, mode }) => (mode ? `${who} (${mode})` : who))
  return `${texts.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
