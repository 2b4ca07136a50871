import { useMemo, useState } from 'react'
import type { Metric } from '../api/listings.ts'
import { BarChart } from '../chart/bar-chart.tsx'
import { BucketChart } from '../chart/bucket-chart.tsx'
import { Legend, topMax } from '../chart/legend.tsx'
import { unitSymbol } from '../chart/numbers.ts'
import { seriesOf, type Series } from '../chart/series.ts'
import { aggregationOf } from './aggregations.ts'
import { Caption } from './caption.tsx'
import type { View } from './explore-state.ts'
import { PointTable } from './point-table.tsx'
import type { Answered } from './use-metric-data.ts'

type Props = {
  answered: Answered
  /** The metric of the response, which has the unit. */
  metric: Metric | null
  view: View
}

/** Draws the response to the request that was sent. The controls may have changed after that. */
export function Picture({ answered, metric, view }: Props) {
  const { request, answer } = answered
  const series = useMemo(() => seriesOf(answer, request.splits ?? []), [answer, request])
  const [chosen, setChosen] = useState<{ of: readonly Series[]; names: ReadonlySet<string> } | null>(null)
  const [fanName, setFanName] = useState('')
  const names = useMemo(() => (chosen?.of === series ? chosen.names : firstOf(series)), [chosen, series])
  const shown = useMemo(() => series.filter(({ name }) => names.has(name)), [series, names])
  const aggregation = aggregationOf(request.aggregation ?? '')
  const unit = unitSymbol(metric?.unit ?? '')
  const title = `${metric?.name ?? request.metric}, ${aggregation.title.toLowerCase()}`
  if (view === 'table') return <PointTable request={request} series={series} />
  const isTotal = aggregation.shape === 'none'
  const mostMeasured = shown.reduce((best, { rank }, at) => (rank < (shown[best]?.rank ?? rank) ? at : best), 0)
  const named = shown.findIndex(({ name }) => name === fanName)
  const fanOf = named === -1 ? mostMeasured : named
  return (
    <>
      <Caption
        title={title}
        unit={unit}
        view={view}
        shown={shown}
        isTotal={isTotal}
        fanOf={shown[fanOf]}
        onFan={setFanName}
      />
      {isTotal ? (
        <BarChart series={shown} unit={unit} title={title} isFan={view === 'percentiles'} />
      ) : (
        <BucketChart
          series={shown}
          aggregation={aggregation}
          unit={unit}
          title={title}
          fanOf={view === 'percentiles' ? fanOf : null}
        />
      )}
      {series.length > 1 && (
        <Legend series={series} shown={names} onShow={(shownNames) => setChosen({ of: series, names: shownNames })} />
      )}
    </>
  )
}

const firstOf = (series: readonly Series[]): ReadonlySet<string> =>
  new Set(series.filter(({ rank }) => rank < topMax).map(({ name }) => name))
