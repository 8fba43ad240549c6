export const kinds = [
  'lock',
  'fenced',
  'spin',
  'fair',
  'read-write',
  'multi',
  'striped',
  'semaphore',
  'permits',
  'latch',
  'compute-once',
] as const
export type Kind = (typeof kinds)[number]
