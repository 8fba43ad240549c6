/** Sentences of the docs that once contradicted each other, or the code (faults D8): what they must go on saying. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test.each([
  ['quorum.md', 'the error of a kind that a quorum has not', /are refused \(`UnsupportedKindError`\)/],
  ['job.md', 'how long a dead run holds up', /`atMostMs`\*\* from its start, plus `quarantineMs`/],
  ['cli.md', '`unlock --force` in a script', /Without a terminal it needs `--yes`/],
  ['leader.md', 'two leaders', /The former one, in another process, learns of it at its next renewal/],
  ['leader.md', 'a silent store', /If the store does not answer they return after `storeTimeoutMs`/],
  ['interop.md', 'who is counted', /counts Redisson.s\nwaiting processes and the first of Holdfast.s line/],
  ['labels.md', '`heldSince`', /in milliseconds since 1970.*\n.*`--json` as `heldSince` in ISO 8601/],
  ['guarantees.md', 'two processes', /of which two or more calls contend.* With a single call each/s],
])('faults D8: %s says of %s what is so', (page, _, says) => {
  expect(readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')).toMatch(says)
})
