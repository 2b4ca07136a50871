/**
 * Attacks turn off the limits of callers and raise the limits of the instance. If a limit refused a request, the
 * request would prove nothing.
 */
export const noLimits: Record<string, string> = {
  BROADGAUGE_ORGANISATION_QUERIES: '0',
  BROADGAUGE_TOKEN_QUERIES: '0',
  BROADGAUGE_ORGANISATION_REQUESTS_PER_SECOND: '0',
  BROADGAUGE_TOKEN_REQUESTS_PER_SECOND: '0',
  BROADGAUGE_ORGANISATION_ENGINE_SECONDS: '0',
  BROADGAUGE_TOKEN_ENGINE_SECONDS: '0',
  BROADGAUGE_QUERIES_MAX: '1000',
  BROADGAUGE_EXPORTS_UNFINISHED_MAX: '100000',
}
