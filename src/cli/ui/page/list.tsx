/** The list of locks: what is looked for, how it is sorted, a page of rows. */
import type { Sort } from '../picture.js'
import { BackIcon, NextIcon, SearchIcon } from './icons.js'
import { LockRow } from './row.js'
import type { State } from './state.js'
import { plural } from './words.js'

export interface ListActions {
  find(filter: string): void
  sortBy(sort: Sort): void
  turnTo(page: number): void
}

type Props = Pick<State, 'message' | 'filter' | 'sort' | 'trouble'> & { readonly actions: ListActions }

const sorts: ReadonlyArray<readonly [Sort, string]> = [
  ['waiting', 'Most waited for'],
  ['age', 'Held longest'],
  ['name', 'Name'],
]
const ROWS = 50

export function List(props: Props) {
  const { message, filter, sort, actions } = props
  const rows = message?.rows ?? []
  const inDeadlocks = new Set(
    message?.deadlocks.flatMap((cycle) => cycle.map(({ waitsFor }) => waitsFor.name)) ?? [],
  )
  return (
    <section class="panel list" aria-labelledby="list-title">
      <div class="tools">
        <h2 id="list-title">Locks</h2>
        <search>
          <label class="find">
            <SearchIcon />
            <span class="unseen">Filter</span>
            <input
              id="filter"
              type="search"
              maxLength={1_000}
              spellcheck={false}
              autocomplete="off"
              placeholder="Part of a name, or a pattern with *"
              defaultValue={filter}
              onInput={({ currentTarget }) => actions.find(currentTarget.value)}
            />
          </label>
        </search>
        <fieldset class="sorts">
          <legend class="unseen">Sort by</legend>
          {sorts.map(([value, text]) => (
            <label key={value}>
              <input
                type="radio"
                name="sort"
                value={value}
                checked={sort === value}
                onChange={() => actions.sortBy(value)}
              />
              <span>{text}</span>
            </label>
          ))}
        </fieldset>
      </div>
      {rows.length > 0 ? (
        <table class="locks">
          <caption class="unseen">Locks that are held</caption>
          <thead>
            <tr>
              <th scope="col" class="lock">
                Lock
              </th>
              <th scope="col" class="holder">
                Holder
              </th>
              <th scope="col" class="age">
                Held for
              </th>
              <th scope="col" class="waiters">
                Waiting
              </th>
              <th scope="col" class="rest">
                Lease
              </th>
            </tr>
          </thead>
          <tbody id="rows">
            {rows.map((row) => (
              <LockRow key={row.key} row={row} isDeadlocked={inDeadlocks.has(row.name)} />
            ))}
          </tbody>
        </table>
      ) : (
        <Empty {...props} />
      )}
      <Foot {...props} />
    </section>
  )
}

/** What there is to do where nothing is to be seen. */
function Empty({ message, filter, trouble }: Props) {
  if (trouble !== null)
    return (
      <p class="empty">
        <Open name={filter} />
      </p>
    )
  if (!message?.isAll) return <p class="empty quiet">Looking…</p>
  if (filter !== '')
    return (
      <div class="empty">
        <strong>No lock is held whose name has “{filter}”.</strong>
        <p class="quiet">
          A text finds names that contain it. <code>*</code>, <code>?</code> and <code>[a-z]</code> make it a
          pattern for the whole name.
        </p>
        <Open name={filter} />
      </div>
    )
  return (
    <div class="empty">
      <strong>No lock is held.</strong>
      <p class="quiet">
        Locks show up here as soon as a program takes one:{' '}
        <code>holdfast.lock('invoice:42').withLock(…)</code>, or in a shell{' '}
        <code>holdfast run invoice:42 -- sleep 60</code>.
      </p>
    </div>
  )
}

/** A lock by its name, held or free. */
function Open({ name }: { name: string }) {
  if (name === '' || /[*?[\\]/.test(name)) return null
  return (
    <a class="button" href={`lock?${new URLSearchParams({ name })}`}>
      Open the lock “{name}”
    </a>
  )
}

function Foot({ message, actions }: Props) {
  if (!message || message.total === 0) return null
  const { from, rows, total, isAll, unreadable } = message
  const page = Math.floor(from / ROWS)
  const last = Math.ceil(total / ROWS) - 1
  const all = isAll ? '' : ' so far'
  return (
    <div class="foot">
      <p id="summary">
        {total > ROWS
          ? `${(from + 1).toLocaleString('en')}–${(from + rows.length).toLocaleString('en')} of ${plural(total, 'lock')}${all}`
          : `${plural(total, 'lock')}${all}`}
        {unreadable > 0 && `, ${unreadable} more cannot be read by this user`}
      </p>
      {last > 0 && (
        <nav class="pages" aria-label="Pages of the list">
          <button type="button" disabled={page === 0} onClick={() => actions.turnTo(page - 1)}>
            <BackIcon /> Previous
          </button>
          <span class="quiet">
            {page + 1} / {last + 1}
          </span>
          <button type="button" disabled={page >= last} onClick={() => actions.turnTo(page + 1)}>
            Next <NextIcon />
          </button>
        </nav>
      )}
    </div>
  )
}
