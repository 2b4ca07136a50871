import { untraced } from '../../engine/tracing.ts'

type Waiting<Item> = { readonly item: Item; readonly resolve: () => void; readonly reject: (error: unknown) => void }

/**
 * Runs one write at a time. Items that arrive during a write go into the next write together. While no write runs, an item is
 * written at once. A thousand concurrent items need only a few writes.
 */
export function groupCommit<Item>(
  write: (items: readonly Item[]) => Promise<void>,
  itemsMax: number,
): (item: Item) => Promise<void> {
  const waiting: Waiting<Item>[] = []
  let isWriting = false
  const writeAll = async () => {
    isWriting = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, itemsMax)
      try {
        await write(batch.map(({ item }) => item))
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isWriting = false
  }
  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.push({ item, resolve, reject })
    if (!isWriting) void untraced(writeAll)
    return promise
  }
}
