import type { OnStep } from '../../../../synth/stores.ts'

/** Shows how far a synthesis is: one line that rewrites itself, or in a pipe a line for every step that is done. */
export function showSteps(stream: NodeJS.WriteStream = process.stderr): OnStep {
  const startedAt = performance.now()
  return ({ step, done, of }) => {
    const isDone = done >= of
    if (!stream.isTTY && !isDone) return
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
    const text = `    ${step}: ${Math.min(100, Math.floor((100 * done) / of))} %, ${seconds} s`
    stream.write(stream.isTTY ? `\r\u001B[K${text}${isDone ? '\n' : ''}` : `${text}\n`)
  }
}
