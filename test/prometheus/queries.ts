/** The queries of a dashboard, with a value for each of Grafana's variables. */
export function queriesOfDashboard(json: string): string[] {
  const { panels }: { panels: ReadonlyArray<{ targets: ReadonlyArray<{ expr: string }> }> } = JSON.parse(json)
  return panels.flatMap(({ targets }) =>
    targets.map(({ expr }) =>
      expr
        .replaceAll('$__rate_interval', '5m')
        .replaceAll('$__range', '5m')
        .replaceAll(/"\$\w+"/g, '".*"'),
    ),
  )
}

/** Those of a page, a line each. */
export function queriesOfPage(markdown: string): string[] {
  return [...markdown.matchAll(/^```promql\n(.*?)^```/gms)].flatMap(([, block = '']) =>
    block.split('\n').filter((line) => line !== ''),
  )
}
