import { GetObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { exportLimits } from '../../base/limits.ts'
import type { Objects } from './objects.ts'

export type LinkedFile = { readonly key: string; readonly fileName: string; readonly contentType: string }

/**
 * Returns a link to one object. The link works for an hour, for anyone who has it. Signing needs no request to the object
 * storage.
 */
export function signLink(
  { publicClient, bucket }: Objects,
  { key, fileName, contentType }: LinkedFile,
  now: Temporal.Instant,
): Promise<string> {
  const command = new GetObjectCommand({
    Bucket: bucket,
    Key: key,
    ResponseContentDisposition: `attachment; filename="${fileName}"`,
    ResponseContentType: contentType,
  })
  return getSignedUrl(publicClient, command, {
    expiresIn: exportLimits.linkSeconds,
    signingDate: new Date(now.epochMilliseconds),
  })
}
