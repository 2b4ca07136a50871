import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { default as addFormats } from 'ajv-formats'
import type { Schema } from '../../../src/http/openapi/schema.ts'

type Content = { content?: Record<string, { schema: object; examples?: Record<string, { value: unknown }> }> }
type DocumentedOperation = {
  operationId: string
  security: object[]
  requestBody?: Content
  responses: Record<string, Content & { $ref?: string }>
}

type Path = Record<string, DocumentedOperation>

/** The operations of an OpenAPI document, with checks for their requests and responses. */
export function documentChecks(document: Schema) {
  const paths = document['paths'] as Record<string, Path>

  /** All operations, by method and path: `GET /tests`. */
  const documented = new Map<string, DocumentedOperation>(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([method]) => method !== 'servers')
        .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    ),
  )

  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    strictTypes: false,
    allErrors: true,
  })
  addFormats.default(ajv)
  ajv.addVocabulary(['components', 'openapi', 'info', 'tags', 'paths'])
  ajv.addSchema({ $id: 'broadgauge', ...document })

  const compiled = new Map<string, ValidateFunction>()

  /** The violations of `value` against the schema at `place` in the document. Empty if there are none. */
  function faultsBy(place: readonly string[], value: unknown): string[] {
    const pointer = place.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `broadgauge#/${pointer}` })
    compiled.set(pointer, validate)
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`)
  }

  /**
   * The violations of a response of the service. A response that the document does not describe is also a violation.
   */
  function answerFaults(operation: string, status: number, body: unknown): string[] {
    const response = documented.get(operation)?.responses[String(status)]
    if (response === undefined) return [`${operation} does not document ${status}`]
    const shared = response.$ref?.split('/').slice(1)
    const place = shared ?? [...placeOf(operation), 'responses', String(status)]
    return faultsBy([...place, 'content', 'application/json', 'schema'], body)
  }

  const requestFaults = (operation: string, body: unknown): string[] =>
    faultsBy([...placeOf(operation), 'requestBody', 'content', 'application/json', 'schema'], body)

  return { documented, answerFaults, requestFaults }
}

function placeOf(operation: string): string[] {
  const [method = '', path = ''] = operation.split(' ')
  return ['paths', path, method.toLowerCase()]
}
