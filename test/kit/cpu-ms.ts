/**
 * The CPU time in milliseconds that `work` takes in this thread. It is the minimum of three runs, so that other load on
 * the machine has little effect.
 */
export function cpuMs(work: () => void): number {
  const times = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...times)
}
