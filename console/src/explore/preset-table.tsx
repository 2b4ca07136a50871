import { useMemo } from 'react'
import type { Preset } from '../api/listings.ts'
import { seriesOf } from '../chart/series.ts'
import { PointTable } from './point-table.tsx'
import { plain } from './preset-choice.tsx'
import type { Answered } from './use-metric-data.ts'

type Props = { answered: Answered; preset: Preset | null }

/** Shows the points of a preset as a table. Each preset has its statistic in other members of the point. */
export function PresetTable({ answered: { request, answer }, preset }: Props) {
  const series = useMemo(() => seriesOf(answer, request.splits ?? []), [answer, request])
  return (
    <>
      <div className="caption">
        <h2>{preset?.name ?? request.preset}</h2>
        {preset !== null && <p className="hint">Read {plain(preset.read)}</p>}
      </div>
      <PointTable request={request} series={series} />
    </>
  )
}
