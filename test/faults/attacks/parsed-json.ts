/** Parses JSON. Returns undefined for invalid JSON, which no schema accepts. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
