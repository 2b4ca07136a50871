/**
 * Text with what looks like a secret taken out: passwords in addresses, our tokens, also mistyped ones, and what signs a
 * link to object storage.
 */
export const withoutSecrets = (text: string): string =>
  text
    .replaceAll(/(\w+:\/\/[^:@/\s"]+):[^@/\s"]+@/g, '$1:***@')
    .replaceAll(/\bbg_[0-9A-Za-z]{8,}/g, 'bg_***')
    .replaceAll(/\b(X-Amz-(?:Signature|Credential|Security-Token)=)[^&\s"]+/gi, '$1***')
