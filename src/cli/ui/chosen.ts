/** A page shows no more locks than this; each of them is looked at again and again. */
export const MOST_ROWS = 100

/** The names that a page shows: the first ones, in an order that does not change while others come and go. */
export function chosen(names: Iterable<string>, most = MOST_ROWS): readonly string[] {
  return [...names].sort().slice(0, most)
}
