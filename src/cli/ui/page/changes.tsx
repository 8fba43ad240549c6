/** What has changed while somebody looked. */
import type { Entry } from '../journal.js'
import { lockName } from './state.js'
import { Ago, Lasting } from './times.js'
import { Name, Sentence } from './words.js'

export function Changes({ changes, since }: { changes: readonly Entry[]; since: number | undefined }) {
  return (
    <section class="panel changes" aria-labelledby="changes-title">
      <h2 id="changes-title">{lockName === undefined ? 'Changes' : 'History'}</h2>
      {since !== undefined && (
        <p class="quiet small">
          {changes.length === 0 ? 'Nothing has changed for' : 'Of the last'} <Lasting since={since} />
        </p>
      )}
      <ol id="changes">
        {changes.map((entry) => (
          <li key={entry.number} class={entry.what}>
            <Ago at={entry.at} />
            <p>
              {lockName === undefined ? <About {...entry} /> : 'It'} <Sentence text={`${entry.text}.`} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  )
}

function About({ name, href }: Entry) {
  if (href === null) return <Name text={name} />
  return (
    <a href={href}>
      <Name text={name} />
    </a>
  )
}
