/** Asks for the token, where the page takes one. */
import { useEffect, useRef } from 'preact/hooks'
import { keepToken } from './connection.js'

export interface Wanted {
  readonly again: boolean
  readonly given: () => void
}

export function Login({ wanted }: { wanted: Wanted | null }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (!wanted || dialog.current?.open) return
    if (input.current) input.current.value = ''
    dialog.current?.showModal()
  }, [wanted])
  const close = (): void => {
    const token = input.current?.value ?? ''
    if (token !== '') keepToken(token)
    wanted?.given()
  }
  return (
    <dialog ref={dialog} aria-labelledby="login-title" onClose={close}>
      <form method="dialog">
        <h2 id="login-title">This page takes a token</h2>
        <p class="quiet">
          {wanted?.again ? 'That is not the token.' : 'Whoever started holdfast ui knows it.'}
        </p>
        <label for="token">Token</label>
        <input
          ref={input}
          id="token"
          type="password"
          required
          minLength={16}
          pattern="[\w.~+\/\-]+=*"
          autocomplete="off"
        />
        <div class="buttons">
          <button type="submit" class="solid">
            Open
          </button>
        </div>
      </form>
    </dialog>
  )
}
