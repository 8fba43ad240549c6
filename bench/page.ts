/** What a run is asked for that decides whether the page can be made from it. */
interface Asked {
  readonly write: boolean
  readonly quick: boolean
  readonly libraries?: readonly string[]
}

/** Why a run leaves `docs/` alone. The page compares the libraries of a scenario with each other, so their figures are all of one run. */
export function staysAsItIs({ write, quick, libraries }: Asked): string | undefined {
  const stays = 'docs/ stays as it is'
  if (!write) return `${stays}.`
  if (quick) return `${stays}: the figures of a quick run mean nothing.`
  if (libraries !== undefined)
    return `${stays}: with --libraries the others of a scenario have no figures of this run to be compared with.`
  return undefined
}
