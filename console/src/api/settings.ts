export type Bases = { readonly dataBaseUrl: string; readonly metadataBaseUrl: string }

/** Reads the absolute base addresses of the interfaces of the service that served this page. */
export async function readBases(): Promise<Bases> {
  const own: Bases = await fetch('settings.json')
    .then((response) => (response.ok ? response.json() : Promise.reject(new Error(String(response.status)))))
    // The page comes from another server, such as a development server.
    .catch(() => ({ dataBaseUrl: '/', metadataBaseUrl: '/' }))
  return { dataBaseUrl: whole(own.dataBaseUrl), metadataBaseUrl: whole(own.metadataBaseUrl) }
}

const whole = (base: string): string => new URL(base, location.origin).href.replace(/\/$/, '')
