import { entryOf } from '../catalog.js'
import { colours, drawn } from './chart.js'
import { shownNumber, shownTick } from './number.js'

/** One bar for each library. */
export interface Bar {
  readonly library: string
  /** What stands beside it, where that is not the library's. */
  readonly title?: string
  readonly value: number
}

export interface Bars {
  readonly title: string
  readonly axis: string
  readonly logarithmic?: boolean
  /** A line to be reached. */
  readonly mark?: number
  readonly bars: readonly Bar[]
}

const WIDTH = 760
const ROW = 26
const AROUND = 110

/** Lying bars, the longest on top, in the colour of their sort. */
export function drawnBars({ title, axis, logarithmic = false, mark, bars }: Bars): string {
  const sorted = [...bars].sort((a, b) => a.value - b.value)
  const least = Math.min(...bars.map(({ value }) => value))
  return drawn(
    {
      title: { text: title, left: 12, top: 8, textStyle: { fontSize: 15 } },
      grid: { left: 140, right: 80, top: 48, bottom: 48 },
      xAxis: {
        type: logarithmic ? 'log' : 'value',
        axisLabel: { formatter: shownTick },
        name: logarithmic ? `${axis} (logarithmic)` : axis,
        nameLocation: 'middle',
        nameGap: 30,
        // A logarithmic axis has no zero to begin at.
        ...(logarithmic ? { min: 10 ** Math.floor(Math.log10(least)) } : { min: 0 }),
        splitLine: { lineStyle: { color: '#e5e7eb' } },
      },
      yAxis: {
        type: 'category',
        data: sorted.map(({ library, title: own }) => own ?? entryOf(library).title),
        axisTick: { show: false },
      },
      series: [
        {
          type: 'bar',
          barCategoryGap: '30%',
          data: sorted.map(({ library, value }) => ({
            value,
            itemStyle: { color: colours[entryOf(library).sort] },
          })),
          label: {
            show: true,
            position: 'right',
            formatter: ({ value }: { value: number }) => shownNumber(value),
          },
          ...(mark === undefined
            ? {}
            : {
                markLine: {
                  symbol: 'none',
                  data: [{ xAxis: mark }],
                  lineStyle: { color: '#b91c1c' },
                  label: { formatter: `${mark}`, position: 'end' },
                },
              }),
        },
      ],
    },
    { width: WIDTH, height: AROUND + ROW * bars.length },
  )
}
