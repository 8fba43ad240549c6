import { codeOf, isError } from '../../base/errors/is-error.js'

/** The names of all attributes, of spans and of metrics. */
export const attribute = {
  /** Of spans alone: there is no limit to names. */
  lockName: 'holdfast.lock.name',
  lockKind: 'holdfast.lock.kind',
  lockGroup: 'holdfast.lock.group',
  client: 'holdfast.client',
  owner: 'holdfast.owner',
  holder: 'holdfast.holder',
  outcome: 'holdfast.outcome',
  holdCount: 'holdfast.hold.count',
  handedOver: 'holdfast.handed_over',
  lossReason: 'holdfast.loss.reason',
  handOverBy: 'holdfast.hand_over.by',
  /** Of a link: what the other span is to this one. */
  link: 'holdfast.link',
  errorType: 'error.type',
} as const

/** The name of an error: its code if that is stable, as Holdfast's are. */
export function errorTypeOf(error: unknown): string {
  return codeOf(error) ?? (isError(error) ? error.name : '_OTHER')
}
