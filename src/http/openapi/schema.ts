/** A JSON Schema in the 2020-12 dialect, which OpenAPI 3.1 uses. */
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

/** Schema of an object that has these fields and no others. All fields are required except those in `optional`. */
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

/** The schema of an optional field that a request must not have. */
export const absent: Schema = { type: 'null' }

/** Returns the schema of an object that has this field. */
export const has = (name: string, schema: Schema): Schema => ({ properties: { [name]: schema }, required: [name] })

export const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
