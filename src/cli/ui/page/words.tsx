/** Names that any program may have chosen: text, and nothing else. */
import { Fragment } from 'preact'

/** A name that may be broken behind its separators, and nowhere else. */
export function Name({ text }: { text: string }) {
  const parts = text.split(/(?<=[:/._-])(?=[^:/._-])/)
  return (
    <>
      {parts.map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  )
}

/** Longer ones than a column is wide may be broken. */
const LONGEST_WHOLE = 28

/** A sentence whose words stay whole: browsers break `web-1` behind its hyphen. */
export function Sentence({ text }: { text: string }) {
  const words = text.split(/(\s+)/)
  return (
    <>
      {words.map((word, index) =>
        word.includes('-') && word.length <= LONGEST_WHOLE ? (
          <span key={index} class="whole">
            {word}
          </span>
        ) : (
          word
        ),
      )}
    </>
  )
}

const tones: Readonly<Record<string, string>> = {
  lock: 'plain',
  'fenced lock': 'fenced',
  'read-write lock': 'shared',
  semaphore: 'permits',
  'permit-expirable semaphore': 'permits',
  'count-down latch': 'latch',
}

export function KindBadge({ kind }: { kind: string }) {
  return <span class={`badge ${tones[kind] ?? 'plain'}`}>{kind}</span>
}

export function plural(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
