import { InvalidArgumentError } from 'commander'

/** Parses SECONDS: fractions are allowed, signs and exponents are not. Returns whole milliseconds. */
export function parseSeconds(text: string): number {
  const ms = /^(\d+\.?\d*|\.\d+)$/.test(text) ? Math.ceil(roundOff(Number(text) * 1000)) : Number.NaN
  if (!Number.isSafeInteger(ms)) throw new InvalidArgumentError('Give seconds, such as 5 or 0.25.')
  return ms
}

/** As {@link parseSeconds}, but refuses 0. */
export function parsePositiveSeconds(text: string): number {
  const ms = parseSeconds(text)
  if (ms === 0) throw new InvalidArgumentError('Give more than 0 seconds.')
  return ms
}

/** Parses a count, at least 1. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Give a whole number, at least 1.')
  return Number(text)
}

/** Parses a port; 0 is any that is free. */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('Give a port, 0 to 65535.')
  return Number(text)
}

/** 0.1 + 0.2 must not add a millisecond. */
function roundOff(ms: number): number {
  return Math.round(ms * 1e6) / 1e6
}
