/** Downloads a file that this page has created. */
export function saveFile(name: string, type: string, parts: readonly string[]): void {
  const address = URL.createObjectURL(new Blob([...parts], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // Keep the address for a minute: the browser reads it some time after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
