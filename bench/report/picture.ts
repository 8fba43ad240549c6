/** A chart as drawn: apart from what draws it, so that the page can be made without. */
export interface Picture {
  /** Of the file, without its ending. */
  readonly name: string
  readonly caption: string
  readonly svg: string
}
