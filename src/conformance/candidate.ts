import type { Election, Holdfast, Term, TermEnd } from '../index.js'

/** A candidate that does nothing but note what happens to it. */
export class Candidate {
  readonly terms: Term[] = []
  readonly ends: TermEnd[] = []
  readonly election: Election

  constructor(
    readonly holdfast: Holdfast,
    name: string,
    private readonly log: string[] = [],
    label = '',
  ) {
    this.election = holdfast.leader(name, {
      onElected: (term) => {
        this.terms.push(term)
        this.log.push(`${label} elected`)
      },
      onRevoked: (end) => {
        this.ends.push(end)
        this.log.push(`${label} ${end}`)
      },
    })
  }

  get leads(): boolean {
    return this.election.term !== undefined
  }

  get last(): Term {
    const term = this.terms.at(-1)
    if (!term) throw new Error('never elected')
    return term
  }
}
