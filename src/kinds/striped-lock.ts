import process from 'node:process'
import { invalidNumber } from '../base/checks/checks.js'
import { InvalidArgumentError } from '../base/errors/errors.js'
import type { Scope } from '../base/identity/owner.js'
import type { Call } from '../core/acquire/call.js'
import type { HoldRecord } from '../core/tenure/tenure.js'
import { Acquirer, type KindContext } from './acquiring/acquirer.js'
import type { Members } from './acquiring/grant.js'
import { LockAcquirer } from './acquiring/lock-acquirer.js'
import type { Section } from './acquiring/section.js'
import { Hold } from './hold.js'
import { Lock } from './lock.js'
import { type AcquireOptions, NO_OPTIONS } from './options/options.js'
import { AcquireAny, type AnyOutcome } from './several/acquire-any.js'

const MOST_STRIPES = 65_536

/** A stripe that was granted. */
type Stripe = Extract<AnyOutcome, { readonly index: number }>

/** A hold of one stripe of a striped lock. */
export class StripeHold extends Hold {
  /** @internal */
  constructor(
    /** The index of the stripe. */
    readonly index: number,
    grant: HoldRecord,
    { locker, owners }: KindContext,
    ownScope: Scope | undefined,
  ) {
    super(grant, locker, owners, ownScope)
  }
}

/** The way in to any stripe. */
class StripeAcquirer extends Acquirer<Stripe, StripeHold> {
  constructor(
    name: string,
    context: KindContext,
    private readonly stripes: number,
  ) {
    super(name, context)
  }

  protected take(call: Call): Promise<AnyOutcome> {
    const nameOf = (index: number): string => stripeName(this.name, index)
    return new AcquireAny(this.context.locker, nameOf, this.stripes, call).run()
  }

  protected membersOf({ grant }: Stripe): Members {
    return [{ grant, locker: this.context.locker }]
  }

  protected holdOf({ index, grant }: Stripe, _holder: Scope, ownScope: Scope | undefined): StripeHold {
    return new StripeHold(index, grant, this.context, ownScope)
  }
}

/** The body of a striped lock's `withAny` section. */
export type StripeSection<Result> = Section<Result, StripeHold>

/**
 * One resource split over several locks, the stripes, so that as many callers can work on it at a time. Lock a stripe by key (the same
 * key always gets the same stripe), or any free stripe. The stripes are plain locks named `<name>:<index>`.
 */
export class StripedLock {
  readonly name: string
  /** The number of stripes. */
  readonly stripes: number
  readonly #terms: KindContext
  readonly #acquirer: StripeAcquirer

  /** @internal */
  constructor(name: string, stripes: number, terms: KindContext) {
    if (!Number.isSafeInteger(stripes) || stripes < 1 || stripes > MOST_STRIPES) {
      throw invalidNumber('stripes', stripes, `a whole number from 1 to ${MOST_STRIPES}`)
    }
    this.name = name
    this.stripes = stripes
    this.#terms = terms
    this.#acquirer = new StripeAcquirer(name, terms, stripes)
  }

  /** The lock of that stripe, counted from 0. */
  stripe(index: number): Lock {
    if (!Number.isSafeInteger(index) || index < 0 || index >= this.stripes) {
      throw invalidNumber('index', index, `a whole number from 0 to ${this.stripes - 1}`)
    }
    return new Lock(stripeName(this.name, index), this.#terms)
  }

  /** The stripe of a key: the CRC-32 (as in zip) of its UTF-8 form modulo the number of stripes. This will never change. */
  indexOf(key: string): number {
    if (typeof key !== 'string' || !key.isWellFormed()) {
      throw new InvalidArgumentError('key', key, 'a string of well-formed Unicode')
    }
    return process.getBuiltinModule('node:zlib').crc32(key) % this.stripes
  }

  /** The lock of a key's stripe. Two keys may share a stripe; a section of one then re-enters a section of the other. */
  forKey(key: string): Lock {
    return this.stripe(this.indexOf(key))
  }

  /** As `forKey(key).withLock(…)`. */
  withLock<Result>(key: string, body: Section<Result>): Promise<Awaited<Result>>
  withLock<Result>(key: string, options: AcquireOptions, body: Section<Result>): Promise<Awaited<Result>>
  async withLock<Result>(
    key: string,
    optionsOrBody: AcquireOptions | Section<Result>,
    bodyOrNothing?: Section<Result>,
  ): Promise<Awaited<Result>> {
    const acquirer = new LockAcquirer(stripeName(this.name, this.indexOf(key)), this.#terms)
    return await acquirer.withLock(optionsOrBody, bodyOrNothing)
  }

  /** Takes any stripe, runs `body`, and releases the stripe when the body has settled. As `Lock.withLock`. */
  withAny<Result>(body: StripeSection<Result>): Promise<Awaited<Result>>
  withAny<Result>(options: AcquireOptions, body: StripeSection<Result>): Promise<Awaited<Result>>
  withAny<Result>(
    optionsOrBody: AcquireOptions | StripeSection<Result>,
    bodyOrNothing?: StripeSection<Result>,
  ): Promise<Awaited<Result>> {
    return this.#acquirer.withLock(optionsOrBody, bodyOrNothing)
  }

  /** Takes any stripe, and waits for the first free one for at most `waitMs`. As `Lock.acquire`. */
  acquireAny(options: AcquireOptions = NO_OPTIONS): Promise<StripeHold> {
    return this.#acquirer.acquire(options)
  }

  /** Takes any stripe if one is free within `waitMs` (default 0: tries all of them once); otherwise returns `null`. */
  tryAcquireAny(options: AcquireOptions = NO_OPTIONS): Promise<StripeHold | null> {
    return this.#acquirer.tryAcquire(options)
  }
}

function stripeName(name: string, index: number): string {
  return `${name}:${index}`
}
