import type { Gate } from './gate.js'
import type { ProgramAnswers, Results } from './measure/results.js'
import type { Systems } from './measure/systems.js'
import type { Picture } from './report/picture.js'
import type { Scenario } from './scenario.js'

/** What programs beside the cells are to do. */
export interface ProgramOrder {
  readonly chosen: readonly string[]
  readonly quick: boolean
  readonly full: boolean
}

/** What one page is made of. */
export interface Suite {
  readonly scenarios: readonly Scenario[]
  readonly libraries: readonly string[]
  /** The programs that are no cells, and how long each takes, in ms. They are Holdfast's alone. */
  readonly programs: Readonly<Record<string, number>>
  /** The library that is this project. */
  readonly ours: string
  /** The page, and the file of its raw figures, in `docs`. */
  readonly page: string
  readonly figures: string
  quickened(scenarios: readonly Scenario[]): readonly Scenario[]
  run(order: ProgramOrder, systems: Systems): Promise<ProgramAnswers>
  gatesOf(results: Results): readonly Gate[]
  chartsOf(results: Results): readonly Picture[]
  documentOf(results: Results, charts: readonly Picture[]): string
}
