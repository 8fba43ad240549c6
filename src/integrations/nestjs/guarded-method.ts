import 'reflect-metadata'
import { Inject } from '@nestjs/common'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { Holdfast } from '../../holdfast.js'
import type { Hold } from '../../kinds/hold.js'
import { withCurrentHold } from '../decorators/current-hold.js'
import type { lockNameOf } from '../decorators/lock-name.js'

/** Where Nest injects the client into an object with decorated methods. Nest names it where it has none to inject. */
const CLIENT = Symbol('Holdfast, from HoldfastModule.forRoot()')

/** A decorator, with `experimentalDecorators`, of methods that return a promise and have at least those parameters. */
export type GuardedMethod<Params extends unknown[]> = <Args extends [...Params, ...unknown[]], Result>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<(...args: Args) => Promise<Result>>,
) => void

/** Runs the body of a call while a lock is held. */
type Guard = (holdfast: Holdfast, name: string, body: (hold: Hold) => unknown) => Promise<unknown>

/** Puts a guard around a method of an object that Nest makes. */
export function guardMethod(
  target: object,
  descriptor: PropertyDescriptor,
  nameOf: ReturnType<typeof lockNameOf>,
  guard: Guard,
): void {
  const method: unknown = descriptor?.value
  if (typeof method !== 'function')
    throw new InvalidArgumentError('descriptor', descriptor, 'that of a method, with experimentalDecorators')
  Inject(Holdfast)(target, CLIENT)
  descriptor.value = async function (this: object, ...args: unknown[]): Promise<unknown> {
    const client: unknown = Reflect.get(this, CLIENT)
    if (!(client instanceof Holdfast))
      throw new InvalidArgumentError('this', this, 'an object that Nest has made, with a Holdfast injected')
    const run = (hold: Hold): unknown => withCurrentHold(hold, () => Reflect.apply(method, this, args))
    return await guard(client, nameOf(args), run)
  }
  // Other decorators leave what they know on the function, and Nest writes its name into logs.
  for (const key of Reflect.getMetadataKeys(method))
    Reflect.defineMetadata(key, Reflect.getMetadata(key, method), descriptor.value)
  Object.defineProperty(descriptor.value, 'name', { value: method.name })
}
