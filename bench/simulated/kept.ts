import { NO_ROW, type Packed, type Shape } from '../../src/stores/rows/shape.js'

/** A row whose body is kept as it is. */
class Kept<Body> implements Packed {
  readonly owner = undefined
  /** Not as a row that is not there. */
  readonly holds = 1
  readonly endsAt = undefined
  readonly fence = undefined
  readonly waiting = NO_ROW.waiting
  readonly rest = undefined

  constructor(readonly body: Body) {}
}

/** The shape without its JSON: of a thousand processes in line that is 200 kB, to be read and written at each command. */
export function kept<Body>(shape: Shape<Body>): Shape<Body> {
  return {
    ...shape,
    pack: (body) => new Kept(body),
    unpack: (packed) => (packed instanceof Kept ? packed.body : shape.unpack(packed)),
  }
}
