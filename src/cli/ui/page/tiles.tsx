/** The numbers at a glance. */
import type { Message } from '../picture.js'
import type { Peak } from '../totals.js'
import { Sparkline } from './sparkline.js'
import { Lasting } from './times.js'
import { Name } from './words.js'

export function Tiles({ totals, trend, deadlocks, isAll }: Message) {
  if (totals === null) return null
  const number = (value: number): string => `${value.toLocaleString('en')}${isAll ? '' : '+'}`
  return (
    <dl class="tiles" aria-label="At a glance">
      <div class="tile">
        <dt>Held</dt>
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
