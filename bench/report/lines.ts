import { colours, drawn } from './chart.js'
import { shownNumber, shownTick } from './number.js'

export interface Line {
  readonly title: string
  readonly ours: boolean
  readonly dashed: boolean
  readonly points: readonly (readonly [number, number])[]
}

export interface Lines {
  readonly title: string
  readonly across: string
  readonly up: string
  readonly lines: readonly Line[]
}

const SIZE = { width: 820, height: 420 }

/** Lines over two logarithmic axes, each named at its end. */
export function drawnLines({ title, across, up, lines }: Lines): string {
  const axis = {
    type: 'log',
    axisLabel: { formatter: shownTick },
    nameLocation: 'middle',
    splitLine: { lineStyle: { color: '#e5e7eb' } },
  }
  const least = Math.min(...lines.flatMap(({ points }) => points.map(([, value]) => value)))
  return drawn(
    {
      title: { text: title, left: 12, top: 8, textStyle: { fontSize: 15 } },
      grid: { left: 70, right: 250, top: 48, bottom: 56 },
      xAxis: { ...axis, name: across, nameGap: 30, min: 1 },
      yAxis: { ...axis, name: up, nameGap: 46, min: 10 ** Math.floor(Math.log10(least)) },
      series: lines.map((line) => ({
        type: 'line',
        name: line.title,
        data: line.points.map((point) => [...point]),
        symbolSize: 7,
        itemStyle: { color: line.ours ? colours.ours : colours.peer },
        lineStyle: { type: line.dashed ? 'dashed' : 'solid', width: line.ours ? 3 : 2 },
        labelLayout: { moveOverlap: 'shiftY' },
        endLabel: {
          show: true,
          color: line.ours ? colours.ours : colours.peer,
          formatter: ({ value }: { value: readonly number[] }) => `${line.title}: ${shownNumber(value[1])}`,
        },
      })),
    },
    SIZE,
  )
}
