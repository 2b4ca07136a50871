/** Hands the browser a file made on this page. */
export function saveFile(name: string, type: string, parts: readonly string[]): void {
  const address = URL.createObjectURL(new Blob([...parts], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser reads it some time after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
