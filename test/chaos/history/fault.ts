export interface Fault {
  readonly what: string
  readonly from: number
  readonly to: number
  /** Whether data may be gone: all of it, that of a name, or what was written since a moment before. */
  readonly loses: 'nothing' | 'all' | { readonly name: string } | { readonly since: number }
  /** Whether what was given back shortly before may be held again, by nobody, until its lease ends. */
  readonly revives: boolean
  /** Whether stores were hard to reach meanwhile, so that nothing is to be expected of them. */
  readonly cutsOff: boolean
  /** Whether stores refused commands for good meanwhile, because they have no room. */
  readonly refuses: boolean
  /** The worker that had no answer at all from any server meanwhile. */
  readonly silences?: string | undefined
}

export function mayLose({ loses }: Fault, name: string): boolean {
  if (typeof loses === 'string') return loses === 'all'
  return 'since' in loses || loses.name === name
}
