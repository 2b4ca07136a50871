import { validationFail } from '../../base/fault.ts'
import { choiceDetail } from '../choices.ts'
import { checkCustom, type CustomValues } from './custom-metadata.ts'
import { FieldFaults, isAbsent, isObject, messages, shown } from '../field-faults.ts'
import { checkSelector, type MetadataSelector } from './metadata-selector.ts'
import { type PackageName, parsePackage } from './package-name.ts'

/** What PUT /metadata asks for, as far as the request alone can tell. Names are not yet known to exist. */
export type MetadataChange = {
  readonly selector: MetadataSelector
  /** `package: null` sets the ISP and takes the package away; absent leaves both. */
  readonly package: { isp: string; package: string | null } | undefined
  readonly zone: string | undefined
  readonly custom: CustomValues
  /** Keys of custom metadata to remove: they were sent with the value null. */
  readonly droppedKeys: readonly string[]
  readonly day: Temporal.PlainDate
  readonly replaceAll: boolean
  readonly dryRun: boolean
}

/** Numbers of the names in a change; null where the name does not exist, or none was given. */
export type ResolvedNames = {
  ispId: number | null
  packageId: number | null
  zoneId: number | null
  /** All there are, where the one that was given is none of them. */
  zoneNames?: readonly string[]
}

export type MetadataChangeCheck = { change: MetadataChange; faults: FieldFaults }

/**
 * Reads the body and collects its faults without throwing: names are looked up before the answer is given, so that a
 * misspelt package and a misspelt field are reported together.
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

/** Whether nothing is to be changed, whatever else the body says. */
export const isTrial = (body: unknown): boolean => isObject(body) && body['dry_run'] === true

/** Adds what the look-up of names has shown. */
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
  // Only the look-up knows which names there are; anything else that is no name at all is refused here.
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

/** The UTC day from which a change holds: that of the given UNIX time, at most 28 days ago and never ahead; else today. */
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
