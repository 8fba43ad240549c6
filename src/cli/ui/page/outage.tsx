/** That what is shown is of an earlier time, and of which. */
import { WarningIcon } from './icons.js'
import { isStale, type State } from './state.js'
import { Ago } from './times.js'

export function Outage(state: State) {
  const { trouble, seen, standing } = state
  if (!isStale(state) || (trouble === null && standing === 'refused')) return null
  return (
    <div class="notice alarm">
      <WarningIcon />
      <p role="alert">{trouble ?? 'The program that serves this page does not answer.'}</p>
      {seen && (
        <p>
          Below is what was seen <Ago at={new Date(seen.now).toISOString()} />.
        </p>
      )}
    </div>
  )
}
