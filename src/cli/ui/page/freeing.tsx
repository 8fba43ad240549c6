/** Freeing a lock: the question, and what came of it. */
import { useEffect, useRef } from 'preact/hooks'
import { DoneIcon, WarningIcon } from './icons.js'
import { partiesText } from './row.js'
import type { Freeing, State } from './state.js'

export function Question({ freeing, decide }: { freeing: Freeing | null; decide: (yes: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isOpen = freeing !== null && freeing.text === undefined
  useEffect(() => {
    if (isOpen && !dialog.current?.open) dialog.current?.showModal()
    if (!isOpen && dialog.current?.open) dialog.current.close()
  }, [isOpen])
  const { kind, name, holders, waiting } = freeing?.row ?? {
    kind: '',
    name: '',
    holders: undefined,
    waiting: 0,
  }
  return (
    <dialog
      ref={dialog}
      aria-labelledby="unlock-title"
      aria-describedby="unlock-text"
      onClose={({ currentTarget }) => isOpen && decide(currentTarget.returnValue === 'yes')}
      onCancel={({ currentTarget }) => {
        currentTarget.returnValue = 'no'
      }}
    >
      <form method="dialog">
        <h2 id="unlock-title">
          Free the {kind} “{name}”?
        </h2>
        <p id="unlock-text">
          It is held by <strong>{(holders && partiesText(holders)) || 'an unknown owner'}</strong>.
        </p>
        <p class="quiet">
          If its work is still running, other work may then run at the same time. The holder is not asked; it
          finds out later. {waiting ? 'The next in line gets the lock at once.' : ''}
        </p>
        <div class="buttons">
          <button type="submit" value="no" autofocus>
            Leave it
          </button>
          <button type="submit" value="yes" class="danger solid">
            Free it
          </button>
        </div>
      </form>
    </dialog>
  )
}

/** What came of it: what was done is green, and then comes what happens next. */
export function Outcome({ freeing, message }: Pick<State, 'freeing' | 'message'>) {
  if (freeing?.text === undefined) return null
  if (!freeing.done)
    return (
      <p class="notice alarm" role="alert">
        <WarningIcon /> {freeing.text}
      </p>
    )
  const now = message?.rows.find(({ key }) => key === freeing.row.key)
  const isOld = now?.unlock?.holders === freeing.row.unlock?.holders && now?.held
  const next = isOld
    ? ''
    : now?.held
      ? `${partiesText(now.holders) || 'Somebody else'} has it now: the next that asked for it.`
      : 'Nobody waited for it. Its former holder finds out when it renews or releases it.'
  return (
    <p class="notice done" role="status">
      <DoneIcon /> <strong>{freeing.text.replace('is free.', 'was freed.')}</strong> {next}
    </p>
  )
}
