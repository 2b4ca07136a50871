/** The processor time of this thread that `work` takes, the best of three: what else the machine does hardly matters. */
export function cpuMs(work: () => void): number {
  const times = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...times)
}
