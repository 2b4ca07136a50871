import { untraced } from '../../engine/tracing.ts'

type Waiting<Item> = { readonly item: Item; readonly resolve: () => void; readonly reject: (error: unknown) => void }

/**
 * One write at a time: what is asked for while it is under way goes together into the next one. Nobody waits for company,
 * and a thousand at once are a few writes.
 */
export function gatherWrites<Item>(
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
