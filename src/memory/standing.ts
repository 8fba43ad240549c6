/** What one client knows of its own places: those it has asked for and has neither entered from nor left since, by the lock's name. */
export class Standing<Member> {
  readonly #byName = new Map<string, Set<Member>>()

  join(name: string, member: Member): void {
    this.#byName.set(name, (this.#byName.get(name) ?? new Set()).add(member))
  }

  leave(name: string, member: Member): void {
    const members = this.#byName.get(name)
    if (members?.delete(member) && members.size === 0) this.#byName.delete(name)
  }

  in(name: string): readonly Member[] {
    return [...(this.#byName.get(name) ?? [])]
  }
}
