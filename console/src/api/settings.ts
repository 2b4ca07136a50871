export type Bases = { readonly dataBaseUrl: string; readonly metadataBaseUrl: string }

/** Where the service that gave us this page has its interfaces, as whole addresses. */
export async function readBases(): Promise<Bases> {
  const own: Bases = await fetch('settings.json')
    .then((response) => (response.ok ? response.json() : Promise.reject(new Error(String(response.status)))))
    // Opened from somewhere else, such as a development server.
    .catch(() => ({ dataBaseUrl: '/', metadataBaseUrl: '/' }))
  return { dataBaseUrl: whole(own.dataBaseUrl), metadataBaseUrl: whole(own.metadataBaseUrl) }
}

const whole = (base: string): string => new URL(base, location.origin).href.replace(/\/$/, '')
