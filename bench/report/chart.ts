import { type EChartsCoreOption, init } from 'echarts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** Draws a chart as the text of an SVG file, without a browser. */
export function drawn(option: EChartsCoreOption, { width, height }: Size): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height })
  try {
    // A ground of its own, so that it can be read on a dark page too.
    chart.setOption({
      animation: false,
      backgroundColor: '#ffffff',
      textStyle: { fontFamily: 'sans-serif' },
      ...option,
    })
    return `${chart.renderToSVGString()}\n`
  } finally {
    chart.dispose()
  }
}

export const colours = {
  ours: '#1a7f5a',
  floor: '#8a8f98',
  reference: '#c3c7cd',
  peer: '#5b7db1',
  elsewhere: '#b5803a',
} as const
