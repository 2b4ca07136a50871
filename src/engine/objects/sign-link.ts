import { GetObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { exportLimits } from '../../base/limits.ts'
import type { Objects } from './objects.ts'

export type LinkedFile = { readonly key: string; readonly fileName: string; readonly contentType: string }

/** A link to one object that works for an hour, for whoever has it. The storage is not asked. */
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
