import { openClickHouse, type ClickHouseNode } from '../../engine/clickhouse/clickhouse.ts'
import { queryNode, hasRight, maySendSettings, readSetting } from '../../engine/clickhouse/health.ts'
import { clickHouseOptions } from '../config.ts'
import type { Settings } from '../config-schema.ts'
import { dictionaryReads, engineRights, looksUp, type EngineRights } from './engine-rights.ts'
import { Problem, examine, type Finding } from './finding.ts'

const oldest = [25, 11]

/** The settings that every user sends: the log comment, which contains the panels, and the niceness. */
const sentWithQueries = { log_comment: '{}', os_thread_priority: '1' }

/** Checks on every node that each ClickHouse user has the privileges it needs, and no others. */
export async function checkUsers(settings: Settings): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const rights of engineRights) {
    const clickhouse = openClickHouse(clickHouseOptions(settings, rights.role))
    for (const [index, node] of clickhouse.nodes.entries()) {
      const user = settings[`BROADGAUGE_CLICKHOUSE_${rights.role}_USER`]
      findings.push(
        await examine(`ClickHouse node ${index + 1}, user ${user}`, () => checkUser(node, clickhouse.database, rights)),
      )
      if (looksUp(rights)) {
        findings.push(
          await examine(`ClickHouse node ${index + 1}, dictionaries as ${user}`, () =>
            checkDictionaryReads(node, clickhouse.database),
          ),
        )
      }
    }
    await clickhouse.close()
  }
  return findings
}

async function checkUser(node: ClickHouseNode, database: string, rights: EngineRights): Promise<string> {
  const version = await queryNode(node, 'SELECT version()')
  if (isOlder(version))
    throw new Problem(`ClickHouse has version ${version}; upgrade it to ${oldest.join('.')} or later`)
  const wrong: string[] = []
  const inDatabase = (right: string) => right.replace('{db}', database)
  for (const right of rights.needs.map(inDatabase)) if (!(await hasRight(node, right))) wrong.push(`GRANT ${right}`)
  for (const right of rights.mustNot.map(inDatabase)) if (await hasRight(node, right)) wrong.push(`REVOKE ${right}`)
  for (const [name, value] of Object.entries(rights.settings)) {
    const present = await readSetting(node, name)
    if (present !== value)
      wrong.push(
        `set ${name} to ${value === '' ? 'an empty text' : value} in the profile of the user (it is ${present})`,
      )
  }
  for (const [name, value] of Object.entries({ ...sentWithQueries, ...rights.sends })) {
    if (!(await maySendSettings(node, { [name]: value })))
      wrong.push(`make ${name} changeable_in_readonly in the profile of the user`)
  }
  if (wrong.length > 0) throw new Problem(`${wrong.join('; ')}; see docs/operations.md, ClickHouse`)
  return `version ${version}, privileges and profile are correct`
}

async function checkDictionaryReads(node: ClickHouseNode, database: string): Promise<string> {
  const wrong: string[] = []
  for (const right of dictionaryReads.map((one) => one.replace('{db}', database)))
    if (await hasRight(node, right)) wrong.push(right)
  if (wrong.length > 0) throw new Problem(`REVOKE ${wrong.join(', ')}; see docs/operations.md, ClickHouse`)
  return 'the user can look up keys, but cannot select whole dictionaries'
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldest
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}
