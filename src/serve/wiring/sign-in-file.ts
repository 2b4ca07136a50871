import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { OpenIdOptions } from '../../engine/identity/open-id-provider.ts'
import { ConfigError } from '../config.ts'

const schema = z.array(
  z.strictObject({
    key: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/),
    title: z.string().min(1),
    organisation: z.string().min(1),
    issuer: z.url({ protocol: /^https?$/ }),
    client_id: z.string().min(1),
    client_secret: z.string().min(1).optional(),
    claim: z.string().min(1).default('sub'),
    allow_missing_email_verified: z.boolean().default(false),
  }),
)

/** Reads the identity providers of organisations. Their secrets are part of the configuration, so it is in a file. */
export function readSignInFile(path: string | undefined): OpenIdOptions[] {
  if (path === undefined) return []
  return parse(path).map((one) => ({
    key: one.key,
    title: one.title,
    organisation: one.organisation,
    issuer: one.issuer,
    clientId: one.client_id,
    clientSecret: one.client_secret ?? null,
    claim: one.claim,
    allowsMissingEmailVerified: one.allow_missing_email_verified,
  }))
}

/** The error names invalid fields, but never their values, which may be secrets. */
function parse(path: string): z.output<typeof schema> {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    const faults = error instanceof z.ZodError ? error.issues.map((issue) => issue.path.join('.')) : []
    const named = faults.length === 0 ? 'cannot be read as JSON' : `has faults at ${faults.join(', ')}`
    throw new ConfigError([`BROADGAUGE_SIGN_IN_FILE: the file ${named}`])
  }
}
