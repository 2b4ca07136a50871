/** One agent's metadata as callers see it. */
export type AgentMetadata = {
  package: string | null
  isp: string | null
  timezone: string | null
  custom: Record<string, string | number>
}

/** The four fields, from a row `m` that has isp_id, package_id, zone_id and custom. */
export const metadataColumns = `
  isps.name || ':' || packages.name AS package, isps.name AS isp, zones.name AS timezone, m.custom`

export const metadataJoins = `
  LEFT JOIN isps ON isps.id = m.isp_id LEFT JOIN packages ON packages.id = m.package_id
  LEFT JOIN zones ON zones.id = m.zone_id`
