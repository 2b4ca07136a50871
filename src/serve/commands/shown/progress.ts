/** Tells a person how far a long command is: one line that rewrites itself, or a line every few seconds in a pipe. */
export async function withProgress<Result>(
  label: string,
  work: (update: (count: number) => void) => Promise<Result>,
  stream: NodeJS.WriteStream = process.stderr,
): Promise<Result> {
  const startedAt = performance.now()
  let shownAt = startedAt
  const update = (count: number) => {
    const now = performance.now()
    if (now - shownAt < (stream.isTTY ? 200 : 5_000)) return
    shownAt = now
    const perSecond = Math.round((count / (now - startedAt)) * 1000)
    const text = `${label}: ${count.toLocaleString('en')} lines, ${perSecond.toLocaleString('en')} a second`
    stream.write(stream.isTTY ? `\r\u001B[K${text}` : `${text}\n`)
  }
  try {
    return await work(update)
  } finally {
    if (stream.isTTY) stream.write('\r\u001B[K')
  }
}
