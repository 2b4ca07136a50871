import { validationFail } from '../../base/fault.ts'
import { choiceDetail } from '../choices.ts'
import { checkCustom, type CustomValues } from './custom-metadata.ts'
import { FieldFaults, isAbsent, isObject, messages, shown } from '../field-faults.ts'
import { checkSelector, type MetadataSelector } from './metadata-selector.ts'
import { type PackageName, parsePackage } from './package-name.ts'

/** The body of PUT /metadata, checked without a store. The names in the body may not exist. */
export type MetadataChange = {
  readonly selector: MetadataSelector
  /**
   * If this field is undefined, neither the ISP nor the package changes. If its inner `package` is null, the change
   * sets the ISP and removes the package.
   */
  readonly package: { isp: string; package: string | null } | undefined
  readonly zone: string | undefined
  readonly custom: CustomValues
  /** Names of the custom fields to remove: the caller sent them with the value null. */
  readonly droppedKeys: readonly string[]
  readonly day: Temporal.PlainDate
  readonly replaceAll: boolean
  readonly dryRun: boolean
}

/** The internal ids of the names in a change. An id is null if a name does not exist or the request does not contain it. */
export type ResolvedNames = {
  ispId: number | null
  packageId: number | null
  zoneId: number | null
  /** All time zones. Set only if the time zone in the request does not exist. */
  zoneNames?: readonly string[]
}

export type MetadataChangeCheck = { change: MetadataChange; faults: FieldFaults }

/**
 * Checks the body and collects its faults without throwing. The service looks up the names before it reports the faults, so
 * that one response reports a misspelt package and a misspelt field together.
 */
export function checkMetadataChange(body: unknown, now: Temporal.Instant): MetadataChangeCheck {
  if (!isObject(body)) throw validationFail({ body: [messages.type('object')] })
  const faults = new FieldFaults()
  faults.addUnexpected(body, ['agent', 'metadata', 'backdate_from', 'overwrite_all', 'dry_run'])
  const replaceAll = checkFlag(body, 'overwrite_all', faults)
  const change = {
    selector: checkSelector(body['agent'], faults),
    ...checkFields(body['metadata'], replaceAll, faults),
    day: checkBackdate(body['backdate_from'], now, faults),
    replaceAll,
    dryRun: checkFlag(body, 'dry_run', faults),
  }
  return { change, faults }
}

/** Returns true if the request asks for a dry run, even if the rest of the body is invalid. */
export const isDryRun = (body: unknown): boolean => isObject(body) && body['dry_run'] === true

/** Adds the faults of names that do not exist. */
export function addReferenceFaults(change: MetadataChange, found: ResolvedNames, faults: FieldFaults): void {
  if (change.package !== undefined) {
    const name = `${change.package.isp}:${change.package.package ?? ''}`
    const missing = missingPart(change.package, found)
    if (missing !== null) {
      faults.add('metadata[package]', `Unable to resolve new package ${name}. (Invalid ${missing} name in new package)`)
    }
  }
  if (change.zone !== undefined && found.zoneId === null) {
    faults.add('metadata[timezone]', invalidZone(change.zone), () => choiceDetail(change.zone, found.zoneNames ?? []))
  }
}

function missingPart(wanted: { package: string | null }, found: ResolvedNames): 'Isp' | 'Package' | null {
  if (found.ispId === null) return 'Isp'
  return wanted.package !== null && found.packageId === null ? 'Package' : null
}

type Fields = Pick<MetadataChange, 'package' | 'zone' | 'custom' | 'droppedKeys'>

function checkFields(metadata: unknown, replaceAll: boolean, faults: FieldFaults): Fields {
  if (metadata === undefined) faults.add('metadata', messages.missing)
  else if (!isObject(metadata)) faults.add('metadata', messages.type('object'))
  else if (Object.keys(metadata).length === 0 && !replaceAll) faults.add('metadata', 'Metadata cannot be empty.')
  const fields = isObject(metadata) ? metadata : {}
  faults.addUnexpected(fields, ['package', 'timezone', 'custom'], 'metadata')
  return {
    package: checkPackage(fields['package'], faults),
    zone: checkZone(fields['timezone'], faults),
    ...checkCustom(fields['custom'], 'updating', 'metadata[custom]', faults),
  }
}

function checkPackage(value: unknown, faults: FieldFaults): PackageName | undefined {
  if (value === undefined) return undefined
  const name = parsePackage(value)
  if (name === null) faults.add('metadata[package]', `${shown(value)} is not a valid package name.`)
  return name ?? undefined
}

const invalidZone = (value: unknown): string => `${shown(value)} is not a valid IANA timezone.`

function checkZone(value: unknown, faults: FieldFaults): string | undefined {
  if (value === undefined) return undefined
  // This refuses texts that cannot be the name of a time zone. A later look-up checks whether the name exists.
  if (typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(value)) return value
  faults.add('metadata[timezone]', invalidZone(value))
  return undefined
}

function checkFlag(request: Readonly<Record<string, unknown>>, name: string, faults: FieldFaults): boolean {
  const value = request[name]
  if (!isAbsent(value) && typeof value !== 'boolean') faults.add(name, messages.type('bool'))
  return value === true
}

const backdateSecondsMax = 28 * 86_400

/**
 * Returns the UTC day from which a change applies: the day of the given UNIX time, or today. The time must not be in the
 * future, nor more than 28 days ago.
 */
export function checkBackdate(value: unknown, now: Temporal.Instant, faults: FieldFaults): Temporal.PlainDate {
  const nowSeconds = Math.floor(now.epochMilliseconds / 1000)
  const seconds = typeof value === 'number' && Number.isInteger(value) ? value : null
  if (!isAbsent(value)) {
    const inRange = seconds !== null && seconds <= nowSeconds && seconds >= nowSeconds - backdateSecondsMax
    if (seconds === null) faults.add('backdate_from', `Invalid backdate (${shown(value)}). Must be a valid integer.`)
    else if (!inRange) faults.add('backdate_from', `Invalid backdate (${shown(value)}). Must be in last 28 days.`)
    if (!inRange) return utcDay(nowSeconds)
  }
  return utcDay(seconds ?? nowSeconds)
}

const utcDay = (epochSeconds: number): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(epochSeconds * 1000)
    .toZonedDateTimeISO('UTC')
    .toPlainDate()
