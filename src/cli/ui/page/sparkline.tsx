/** How a number was in the last minutes, as looks have counted it. */

import { spanText } from './times.js'

const [WIDTH, HEIGHT] = [120, 28]

export function Sparkline({
  values,
  everyMs,
  what,
}: {
  values: readonly number[]
  everyMs: number
  what: string
}) {
  if (values.length < 3) return null
  const [least, most] = [Math.min(...values), Math.max(...values)]
  // One more or less of a thousand is no mountain, and what hardly moves runs through the middle.
  const high = Math.max(1, most - least, most / 5)
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * WIDTH
    const y = HEIGHT - 2 - ((value - least + (high - most + least) / 2) / high) * (HEIGHT - 4)
    return `${x.toFixed(1)},${y.toFixed(1)}`
  })
  const text = `${what} in the last ${spanText(Math.max(60_000, values.length * everyMs))}: from ${least.toLocaleString('en')} to ${most.toLocaleString('en')}`
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={text}
    >
      <title>{text}</title>
      <polygon class="area" points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />
      <polyline class="curve" points={points.join(' ')} />
    </svg>
  )
}
