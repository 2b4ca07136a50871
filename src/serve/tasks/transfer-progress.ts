import type { ImportProgress } from '../../ingest/import/import-rows.ts'

/** Shows how far a file is: a bar, rows, rows a second and the time that is left. */
export function showTransfer(
  stream: NodeJS.WriteStream = process.stderr,
): (label: string) => { update: (progress: ImportProgress) => void; end: () => void } {
  return (label) => {
    const startedAt = performance.now()
    let first: ImportProgress | null = null
    let shownAt = startedAt
    return {
      update: (progress) => {
        first ??= progress
        const now = performance.now()
        if (now - shownAt < (stream.isTTY ? 200 : 5_000)) return
        shownAt = now
        const text = `${label} ${line(progress, first, (now - startedAt) / 1000)}`
        stream.write(stream.isTTY ? `\r\u001B[K${text}` : `${text}\n`)
      },
      end: () => void (stream.isTTY && stream.write('\r\u001B[K')),
    }
  }
}

const barWidth = 20

function line({ rows, bytes, bytesTotal }: ImportProgress, first: ImportProgress, seconds: number): string {
  const share = bytesTotal === 0 ? 1 : bytes / bytesTotal
  const perSecond = Math.round((rows - first.rows) / Math.max(seconds, 0.001))
  const left = bytes > first.bytes ? (seconds * (bytesTotal - bytes)) / (bytes - first.bytes) : null
  const bar = '█'.repeat(Math.round(share * barWidth)).padEnd(barWidth, '░')
  return [
    `${bar} ${Math.floor(share * 100)} %`,
    `${rows.toLocaleString('en')} rows`,
    `${perSecond.toLocaleString('en')} a second`,
    left === null ? '' : `${clock(left)} left`,
  ].join('  ')
}

const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
