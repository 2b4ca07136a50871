/** A JSON Schema of the 2020-12 dialect, as OpenAPI 3.1 uses it. */
export type Schema = { readonly [key: string]: unknown }

type Options = Readonly<Record<string, unknown>>

export const text = (description: string, options: Options = {}): Schema => ({
  type: 'string',
  description,
  ...options,
})
export const integer = (description: string, options: Options = {}): Schema => ({
  type: 'integer',
  description,
  ...options,
})
export const number = (description: string, options: Options = {}): Schema => ({
  type: 'number',
  description,
  ...options,
})
export const flag = (description: string, options: Options = {}): Schema => ({
  type: 'boolean',
  description,
  ...options,
})
export const listOf = (items: Schema, options: Options = {}): Schema => ({ type: 'array', items, ...options })

export function orNull(schema: Schema): Schema {
  if (!('type' in schema)) return { anyOf: [schema, { type: 'null' }] }
  const choices = Array.isArray(schema['enum']) ? { enum: [...(schema['enum'] as unknown[]), null] } : {}
  return { ...schema, type: [schema['type'], 'null'], ...choices }
}

export type RecordSchema = Schema & { readonly properties: Readonly<Record<string, Schema>> }

/** An object with these fields and no others; all but the `optional` ones are there. */
export const record = (
  properties: Readonly<Record<string, Schema>>,
  { optional = [], ...options }: Options & { optional?: readonly string[] } = {},
): RecordSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
  ...options,
})

export const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
