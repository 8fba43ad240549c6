/** What is to become of a reply; bytes are sent in its place. */
export type Verdict = 'deliver' | 'break' | 'silence' | 'hold' | Buffer

interface Rule<Asked> {
  readonly match: (asked: Asked) => boolean
  readonly verdict: Verdict
  left: number
  readonly struck: (asked: Asked) => void
}

export class Rules<Asked> {
  #rules: Rule<Asked>[] = []

  /** For the reply to the `nth` that matches from now on. Resolves with what was asked when that has happened. */
  once(match: Rule<Asked>['match'], verdict: Verdict, nth = 1): Promise<Asked> {
    return new Promise((struck) => this.#rules.push({ match, verdict, left: nth, struck }))
  }

  always(match: Rule<Asked>['match'], verdict: Verdict): void {
    this.#rules.push({ match, verdict, left: Infinity, struck: () => undefined })
  }

  forget(): void {
    this.#rules = []
  }

  judge(asked: Asked): Verdict {
    for (const rule of this.#rules) {
      if (!rule.match(asked)) continue
      rule.left -= 1
      if (rule.left === Infinity) return rule.verdict
      if (rule.left > 0) continue
      this.#rules.splice(this.#rules.indexOf(rule), 1)
      rule.struck(asked)
      return rule.verdict
    }
    return 'deliver'
  }
}
