/** A table whose rows remember the token they were written under: the statements of docs/fencing.md, over each product. */
export interface Stock {
  readonly statements: readonly string[]
  create(): Promise<void>
  update(item: string, amount: number, fence: bigint): Promise<void>
  put(item: string, amount: number, fence: bigint): Promise<void>
  read(item: string): Promise<{ readonly amount: number; readonly fence: bigint } | undefined>
  /** Changes a row in a transaction that stays open until the function it returns is called. */
  updateOpen(item: string, amount: number, fence: bigint): Promise<() => Promise<void>>
  /** How many sessions wait for a lock on a row; of MariaDB's, those of other test files too. */
  blocked(): Promise<number>
  end(): Promise<void>
}
