/**
 * Redacts passwords in URLs, API tokens and secrets of share links (also mistyped ones), and the signatures of object storage links. This function
 * processes the body of every query, so its time must be linear in the length of the text. Therefore each pattern begins with
 * fixed characters, and no failed match can skip the beginning of another match. The text can be JSON. Therefore no match ends
 * inside an escape, and no pattern begins with a word boundary: an escape such as `\n` ends with a letter and can stand
 * directly before a secret.
 */
export const withoutSecrets = (text: string): string =>
  text
    .replaceAll(/(\w:\/\/[^:@/\s"]+):[^@/\s"]+@/g, '$1:***@')
    .replaceAll(/(bgq?_)[0-9A-Za-z]{8,}/g, '$1***')
    .replaceAll(/(X-Amz-(?:Signature|Credential|Security-Token)=)[^&\s"\\]+/gi, '$1***')
