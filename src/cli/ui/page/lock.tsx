/** One lock: who holds it, who waits, how to free it. */
import type { Party, Row, Several } from '../row.js'
import { KeyIcon } from './icons.js'
import type { State } from './state.js'
import { Lasting, Lease } from './times.js'
import { KindBadge, plural } from './words.js'

export function Locks({ message, free }: Pick<State, 'message'> & { readonly free: (row: Row) => void }) {
  const rows = message?.rows ?? []
  if (message === null || (rows.length === 0 && !message.isAll))
    return <p class="panel empty quiet">Looking…</p>
  if (rows.length === 0)
    return (
      <div class="panel empty">
        <strong>It is free: nobody holds it, and nobody waits for it.</strong>
        <p class="quiet">This page stays open for the next one who takes it.</p>
      </div>
    )
  return (
    <div id="locks">
      {rows.map((row) => (
        <article key={row.key} data-key={row.key} class={row.held ? 'panel' : 'panel free'}>
          <Head row={row} mayUnlock={message.mayUnlock} free={free} />
          <Facts {...row} />
          <Holders {...row} />
          <Line {...row} />
        </article>
      ))}
    </div>
  )
}

function Head({ row, mayUnlock, free }: { row: Row; mayUnlock: boolean; free: (row: Row) => void }) {
  const isOffered = mayUnlock && row.unlock !== null
  return (
    <div class="head">
      <h2>
        <KindBadge kind={row.kind} />
        <span class={row.held ? 'state held' : 'state'}>{row.state}</span>
      </h2>
      {isOffered && (
        <button type="button" class="danger" onClick={() => free(row)}>
          <KeyIcon /> Free this {row.kind}…
        </button>
      )}
    </div>
  )
}

function Facts(row: Row) {
  return (
    <dl class="facts">
      {row.since !== null && (
        <Fact title="Held for">
          <Lasting since={row.since} orEarlier={row.orEarlier} />
        </Fact>
      )}
      {row.held && (
        <Fact title="Lease">
          <Lease {...row} />
        </Fact>
      )}
      {row.fence !== null && (
        <Fact title="Fencing token">
          <span class="number">{row.fence}</span>
        </Fact>
      )}
      {row.available !== null && (
        <Fact title="Permits available">
          <span class="number">{row.available}</span>
        </Fact>
      )}
      <Fact title="Waiting">
        {row.waiting === null ? 'unknown' : <span class="number">{row.waiting}</span>}
      </Fact>
    </dl>
  )
}

function Fact({ title, children }: { title: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Holders({ holders }: Row) {
  if (holders.named.length === 0) return null
  const title = holders.named.length + holders.more === 1 ? 'Holder' : 'Holders'
  return (
    <>
      <h3>{title}</h3>
      <ul class="parties">
        <Parties of={holders} verb="since" />
      </ul>
    </>
  )
}

function Line({ line }: Row) {
  if (line.named.length === 0) return null
  return (
    <>
      <h3>In line, the next one first</h3>
      <ol class="parties line">
        <Parties of={line} verb="waits" />
      </ol>
    </>
  )
}

function Parties({ of: { named, more }, verb }: { of: Several; verb: 'since' | 'waits' }) {
  return (
    <>
      {named.map((party) => {
        const remarks = remarksOf(party)
        return (
          <li key={party.owner}>
            <span class="who">{party.who}</span>
            {party.owner !== party.who && <code class="owner">{party.owner}</code>}
            {remarks.length > 0 && <span class="quiet remarks">{remarks.join(', ')}</span>}
            {party.since !== null && (
              <span class="when">
                {verb === 'since' ? 'for ' : 'waits for '}
                <Lasting since={party.since} />
              </span>
            )}
          </li>
        )
      })}
      {more > 0 && <li class="quiet">and {plural(more, 'other')}</li>}
    </>
  )
}

function remarksOf({ mode, holds }: Party): string[] {
  return [...(mode === null ? [] : [mode]), ...(holds !== null && holds > 1 ? [`×${holds}`] : [])]
}
