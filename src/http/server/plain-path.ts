/** Pages whose relative links need the slash at the end of their address. */
const pages = /\/(console|docs)\/$/

/**
 * The address of a request without repeated slashes and without one at its end: whoever appends `/metrics` to a base address
 * that ends in a slash, or ends a path with one, means the same.
 */
export function plainPath(url: string): string {
  const end = url.indexOf('?') === -1 ? url.length : url.indexOf('?')
  const path = url.slice(0, end)
  // `http://host/path` and `*` are forms of their own.
  if (!path.startsWith('/') || !(path.includes('//') || path.endsWith('/'))) return url
  const single = path.replaceAll(/\/{2,}/g, '/')
  const isCut = single.length > 1 && single.endsWith('/') && !isPage(single)
  return (isCut ? single.slice(0, -1) : single) + url.slice(end)
}

/** Also with escapes: the router decodes them, and a redirect to the page would lead back here. */
function isPage(path: string): boolean {
  try {
    return pages.test(decodeURIComponent(path))
  } catch {
    return false
  }
}
