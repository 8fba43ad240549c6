/** The numbers at a glance. */
import type { Message } from '../picture.js'
import type { Peak } from '../totals.js'
import type { Traffic } from '../traffic.js'
import { Sparkline } from './sparkline.js'
import { Lasting, spanText } from './times.js'
import { Name } from './words.js'

export function Tiles({ totals, trend, deadlocks, isAll }: Message) {
  if (totals === null) return null
  const number = (value: number): string =>
    isAll ? value.toLocaleString('en') : value === 0 ? '…' : `${value.toLocaleString('en')}+`
  return (
    <dl class="tiles" aria-label="At a glance">
      <div class="tile">
        <dt>Held{totals.kept > 0 && `, or kept: ${number(totals.kept)}`}</dt>
        <dd class="value">{number(totals.held)}</dd>
        <dd class="more">{trend && <Sparkline values={trend.held} everyMs={trend.everyMs} what="held" />}</dd>
      </div>
      <div class={totals.waiting > 0 ? 'tile busy' : 'tile'}>
        <dt>Waiting</dt>
        <dd class="value">{number(totals.waiting)}</dd>
        <dd class="more">
          {trend && <Sparkline values={trend.waiting} everyMs={trend.everyMs} what="waiting" />}
        </dd>
      </div>
      <Longest title="Longest wait" record={totals.longestWait} nothing="nobody waits" />
      <Longest title="Longest hold" record={totals.longestHold} nothing="nothing is held" />
      <div class={deadlocks.length > 0 ? 'tile alarm' : 'tile'}>
        <dt>Deadlocks</dt>
        <dd class="value">{deadlocks.length}</dd>
        <dd class="more quiet">{deadlocks.length > 0 ? <a href="#deadlocks">See below</a> : 'none'}</dd>
      </div>
    </dl>
  )
}

/** What the application's own client has done. */
export function TrafficTiles({ acquired, contended, timedOut, everyMs }: Traffic) {
  const span = spanText(acquired.length * everyMs)
  return (
    <section class="traffic" aria-labelledby="traffic-title">
      <h2 id="traffic-title">
        This process <span class="quiet small">in the last {span}</span>
      </h2>
      <dl class="tiles">
        <Rate title="Acquired" values={acquired} everyMs={everyMs} />
        <Rate title="Had to wait" values={contended} everyMs={everyMs} tone="busy" />
        <Rate title="Timed out" values={timedOut} everyMs={everyMs} tone="alarm" />
      </dl>
    </section>
  )
}

function Rate({
  title,
  values,
  everyMs,
  tone = '',
}: {
  title: string
  values: readonly number[]
  everyMs: number
  tone?: string
}) {
  const all = values.reduce((sum, each) => sum + each, 0)
  return (
    <div class={all > 0 ? `tile ${tone}` : 'tile'}>
      <dt>{title}</dt>
      <dd class="value">{all.toLocaleString('en')}</dd>
      <dd class="more">
        <Sparkline values={values} everyMs={everyMs} what={title.toLowerCase()} />
      </dd>
    </div>
  )
}

function Longest({ title, record, nothing }: { title: string; record: Peak | null; nothing: string }) {
  return (
    <div class="tile">
      <dt>{title}</dt>
      <dd class="value">{record ? <Lasting since={record.since} /> : '–'}</dd>
      <dd class="more quiet">
        {record === null ? (
          nothing
        ) : record.href === null ? (
          <span class="cut">{record.name}</span>
        ) : (
          <a class="cut" href={record.href} title={record.name}>
            <Name text={record.name} />
          </a>
        )}
      </dd>
    </div>
  )
}
