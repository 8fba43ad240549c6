import Table from 'cli-table3'

/** Which way a pairing goes: who has it, and who meets what the other side wrote. */
export type Direction = 'Redisson has, Holdfast asks' | 'Holdfast has, Redisson asks' | 'side by side'

/** What was paired with Redisson in this run, counted by kind, server and direction: the matrix of the closing note. */
export class Pairings {
  readonly #rows = new Map<
    string,
    { readonly head: readonly string[]; readonly counts: Map<string, number> }
  >()

  add(kind: string, server: string, direction: Direction, what: string, count: number): void {
    const head = [kind, server, direction]
    const row = this.#rows.get(head.join()) ?? { head, counts: new Map<string, number>() }
    this.#rows.set(head.join(), row)
    row.counts.set(what, (row.counts.get(what) ?? 0) + count)
  }

  /** @param redisson its version */
  tableWith(redisson: string): string {
    const table = new Table({
      head: ['kind', 'server', 'direction', 'counted'],
      style: { head: [], border: [] },
      colWidths: [null, null, null, 90],
      wordWrap: true,
    })
    for (const { head, counts } of this.#rows.values()) {
      table.push([...head, [...counts].map(([what, count]) => `${what} ${count}`).join(', ')])
    }
    return `Paired with Redisson ${redisson} on the JVM:\n${table}`
  }
}
